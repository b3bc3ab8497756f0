import { lstat } from 'node:fs/promises';
import { release } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { messageOf } from '../errors.ts';
import { PathError } from '../paths/path-error.ts';
import { findProgram } from './find-program.ts';
import { isInside } from '../paths/real-path.ts';
import { programPlaces, realFolder } from './sandbox-folders.ts';

export interface SandboxOptions {
  /** The PATH in which bwrap is looked for, and whose folders commands find their programs in. */
  path: string;
  /** The home of whoever runs the daemon. */
  home: string;
  /** Folders that no command sees, such as the daemon's data; a workspace inside of one is seen. */
  hiddenFolders: readonly string[];
}

export interface SandboxedCommand {
  argv: readonly string[];
  cwd: string;
  /** The one place that it may write to, real and absolute; `cwd` is in it. */
  workspace: string;
  /** The whole environment. */
  env: Record<string, string>;
  /** Files and folders of the workspace that it does not see, real and absolute. */
  hidden?: readonly string[];
}

export type SandboxState = { isWorking: true } | { isWorking: false; reason: string };

/** Of /etc, what programs need; nothing in it is secret. */
const settings = `
  alternatives ca-certificates ca-certificates.conf crypto-policies debian_version fonts group gai.conf host.conf hosts
  java-17-openjdk java-21-openjdk ld.so.cache ld.so.conf ld.so.conf.d locale.alias locale.conf localtime magic mime.types
  nsswitch.conf os-release passwd perl pki/tls/certs pki/ca-trust/extracted protocols python3 resolv.conf services
  ssl/certs ssl/openssl.cnf ssl/cert.pem terminfo timezone
`
  .trim()
  .split(/\s+/);

/** What a command may keep in each of /tmp and /dev/shm, which is memory. */
const MEMORY_BYTES = 512 * 1024 * 1024;
/** Processes and threads at a time; no limit for root. */
const MAX_PROCESSES = 1024;
const TRIAL_MS = 10_000;

interface ClosedFolders {
  homes: string[];
  hidden: string[];
}

/** Runs commands by bubblewrap: no network, no other processes, and of the machine only programs and one workspace. */
export class Sandbox {
  readonly #options: SandboxOptions;
  #trial: Promise<SandboxState> | undefined;
  #bwrap = '';
  #help = '';
  #prlimit: string | undefined;
  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /** Whether it works on this machine, and why not; tried once, at the first call. */
  check(): Promise<SandboxState> {
    this.#trial ??= this.#try().catch((error: unknown) => ({ isWorking: false, reason: messageOf(error) }));
    return this.#trial;
  }

  /** The program that runs the command in the sandbox, with its arguments; give it an empty environment. */
  async wrap({ argv, cwd, workspace, env, hidden = [] }: SandboxedCommand): Promise<string[]> {
    if (workspace === '/') throw new PathError('The whole machine cannot be a workspace');
    const closed = await this.#closed();
    const { hidden: folders } = closed;
    const inside = folders.filter((folder) => isInside(workspace, folder));
    if (inside.includes(workspace))
      throw new PathError('The workspace is a folder that commands must not see');
    const masked = hidden.filter(
      (path) =>
        path !== workspace && isInside(workspace, path) && !inside.some((folder) => isInside(folder, path)),
    );
    const masks = (await Promise.all(masked.map(mask))).flat();
    const around = [...closed.homes, ...folders].filter((folder) => !isInside(workspace, folder));
    return [
      [this.#bwrap],
      await this.#machine(closed),
      ['--bind', workspace, workspace],
      await guardRepository(workspace),
      inside.flatMap((folder) => ['--tmpfs', folder]),
      masks,
      // Only now: what lies in them needed its place.
      ['/', ...around, ...inside].flatMap((folder) => ['--remount-ro', folder]),
      ['--chdir', cwd],
      environment(env),
      ['--', ...this.#limits(), ...argv],
    ].flat();
  }

  async #try(): Promise<SandboxState> {
    if (process.platform !== 'linux') return broken('bubblewrap works on Linux only');
    const bwrap = await findProgram('bwrap', this.#options.path);
    if (bwrap === undefined) return broken('bubblewrap (bwrap) is not installed');
    this.#bwrap = bwrap;
    const { execa } = await import('execa');
    const run = (args: string[]) =>
      execa(bwrap, args, { env: {}, extendEnv: false, stdin: 'ignore', timeout: TRIAL_MS, reject: false });
    this.#help = (await run(['--help'])).stdout;
    // Before Linux 5.14 the limit counts the processes of the user outside, too.
    if (isAtLeast(release(), 5, 14)) this.#prlimit = await findProgram('prlimit', '/usr/bin:/bin');
    const machine = await this.#machine(await this.#closed());
    const variables = environment({ PATH: this.#options.path });
    const trial = await run([...machine, ...variables, '--', ...this.#limits(), 'true']);
    if (!trial.failed) return { isWorking: true };
    const [said = ''] = trial.stderr.trim().split('\n');
    return broken(`bubblewrap does not work here: ${said || trial.shortMessage}`.slice(0, 500));
  }

  #limits(): string[] {
    return this.#prlimit === undefined ? [] : [this.#prlimit, `--nproc=${MAX_PROCESSES}`, '--core=0', '--'];
  }

  /** The folders that a command sees nothing of. */
  async #closed(): Promise<ClosedFolders> {
    const { home, hiddenFolders } = this.#options;
    const homes = ['/home', '/root', home].filter((folder) => isAbsolute(folder) && folder !== '/');
    return {
      homes: [...new Set([...homes, ...(await realFolders(homes))])],
      hidden: await realFolders(hiddenFolders),
    };
  }

  /** Everything but the workspace; later arguments lie over earlier ones. */
  async #machine({ homes, hidden }: ClosedFolders): Promise<string[]> {
    const programs = await programPlaces(this.#options.path, homes, hidden);
    return [
      ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
      // No namespaces of its own: they open more of the kernel than a command needs.
      this.#has('--disable-userns') ? ['--unshare-user', '--disable-userns'] : [],
      ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'].flatMap(show),
      settings.flatMap((name) => show(`/etc/${name}`)),
      // A root daemon's settings of the kernel would be open to writing in there.
      ['--proc', '/proc', '--remount-ro', '/proc'],
      ['--dev', '/dev', ...this.#memory('/dev/shm'), '--remount-ro', '/dev'],
      this.#memory('/tmp'),
      homes.flatMap((folder) => ['--tmpfs', folder]),
      programs.flatMap(({ source, target }) => ['--ro-bind-try', source, target]),
      hidden.flatMap((folder) => ['--tmpfs', folder]),
    ].flat();
  }

  #memory(folder: string): string[] {
    const size = this.#has('--size') ? ['--size', String(MEMORY_BYTES)] : [];
    return [...size, '--tmpfs', folder];
  }

  #has(option: string): boolean {
    return this.#help.includes(`${option} `);
  }
}

const broken = (reason: string): SandboxState => ({ isWorking: false, reason });
const show = (path: string) => ['--ro-bind-try', path, path];

const environment = (env: Record<string, string>) => [
  '--clearenv',
  ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
];

/** The folders that are there, an outer one before those in it. */
const realFolders = async (folders: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(folders.map(realFolder));
  return [...new Set(found.filter((folder) => folder !== undefined))].sort();
};

async function mask(path: string): Promise<string[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory()) return ['--tmpfs', path, '--remount-ro', path];
  return found?.isFile() ? ['--ro-bind', '/dev/null', path] : [];
}

/** What git runs by itself, outside of the sandbox too, is not for a command to change, nor to put another in its place. */
async function guardRepository(workspace: string): Promise<string[]> {
  const repository = join(workspace, '.git');
  const kind = await lstat(repository).catch(() => undefined);
  // A file that says where the repository is.
  if (kind?.isFile()) return show(repository);
  if (!kind?.isDirectory()) return [];
  const binds = ['--bind', repository, repository];
  for (const name of ['hooks', 'config', 'config.worktree']) {
    const path = join(repository, name);
    const found = await lstat(path).catch(() => undefined);
    if (found && !found.isSymbolicLink()) binds.push(...show(path));
    else if (!found && name === 'hooks') binds.push('--tmpfs', path, '--remount-ro', path);
  }
  return binds;
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [ours = 0, next = 0] = version.split('.').map(Number);
  return ours > major || (ours === major && next >= minor);
}

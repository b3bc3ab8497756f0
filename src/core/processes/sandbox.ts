import { lstat, mkdir, realpath } from 'node:fs/promises';
import { release } from 'node:os';
import { isAbsolute } from 'node:path';
import { messageOf } from '../errors.ts';
import { codeOf } from '../paths/file-errors.ts';
import { PathError } from '../paths/path-error.ts';
import { findProgram } from './find-program.ts';
import { closeInheritedDescriptors } from './inherited-descriptors.ts';
import { isInside } from '../paths/real-path.ts';
import { programMounts, realDirectory } from './program-mounts.ts';

export interface SandboxOptions {
  /** The PATH that is searched for bwrap, and from which commands get their programs. */
  path: string;
  /** The home directory of the user who runs the daemon. */
  home: string;
  /** Directories that no command sees, such as the daemon's data; a workspace inside one is visible. */
  hiddenDirectories: readonly string[];
}

export interface SandboxedCommand {
  argv: readonly string[];
  cwd: string;
  /** The only directory that it may write to, as a real absolute path; contains `cwd`. */
  workspace: string;
  /** The complete environment. */
  env: Record<string, string>;
  /** Files and directories of the workspace that it does not see, as real absolute paths. */
  hidden?: readonly string[];
  /** Files and directories of the workspace that it cannot replace and, if they are read-only, cannot change; parents first. */
  protectedPaths?: readonly { path: string; isReadOnly: boolean }[];
  /** Files and directories outside of the workspace that it sees, in order: later ones cover earlier ones. */
  mounts?: readonly SandboxMount[];
  /** Whether it only reads in the workspace. */
  isReadOnly?: boolean;
  /** Whether it reaches the network; no command does unless set. */
  hasNetwork?: boolean;
  /**
   * Whether it keeps the environment that bwrap is started with, to which `env` is added. For variables that hold secrets:
   * every user of the machine can read the arguments of a program.
   */
  keepsEnvironment?: boolean;
}

/** A path that a sandbox shows: of the machine, or an empty directory in memory. */
export type SandboxMount =
  | { source: string; target: string; isReadOnly: boolean }
  | { target: string; isMemory: true };

export type SandboxState = { isWorking: true } | { isWorking: false; reason: string };

/** The entries of /etc that programs need; none holds secrets. */
const etcEntries = `
  alternatives ca-certificates ca-certificates.conf crypto-policies debian_version fonts group gai.conf host.conf hosts
  java-17-openjdk java-21-openjdk ld.so.cache ld.so.conf ld.so.conf.d locale.alias locale.conf localtime magic mime.types
  nsswitch.conf os-release passwd perl pki/tls/certs pki/ca-trust/extracted protocols python3 resolv.conf services
  ssl/certs ssl/openssl.cnf ssl/cert.pem terminfo timezone
`
  .trim()
  .split(/\s+/);

/** The size limit of each of /tmp and /dev/shm, which are held in memory. */
const MEMORY_BYTES = 512 * 1024 * 1024;
/** The most processes and threads at a time; does not limit root. */
const MAX_PROCESSES = 1024;
const TRIAL_MS = 10_000;

interface ClosedDirectories {
  homes: string[];
  hidden: string[];
}

/** Sandboxes commands with bubblewrap: no network, no other processes, and only programs and one workspace visible. */
export class Sandbox {
  readonly #options: SandboxOptions;
  #trial: Promise<SandboxState> | undefined;
  #bwrap = '';
  #help = '';
  #prlimit: string | undefined;
  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /** Whether the sandbox works on this machine, and why not; tested once, at the first call. */
  check(): Promise<SandboxState> {
    this.#trial ??= this.#try().catch((error: unknown) => ({ isWorking: false, reason: messageOf(error) }));
    return this.#trial;
  }

  /** The program and arguments that run the command in the sandbox; start it with an empty environment. */
  async wrap({
    argv,
    cwd,
    workspace,
    env,
    hidden = [],
    protectedPaths = [],
    mounts = [],
    isReadOnly = false,
    hasNetwork = false,
    keepsEnvironment = false,
  }: SandboxedCommand): Promise<string[]> {
    const closed = await this.checkWorkspace(workspace);
    const { hidden: closedDirectories } = closed;
    const inside = closedDirectories.filter((directory) => isInside(workspace, directory));
    const masked = hidden.filter(
      (path) =>
        path !== workspace &&
        isInside(workspace, path) &&
        !inside.some((directory) => isInside(directory, path)),
    );
    const masks = (await Promise.all(masked.map(mask))).flat();
    const outside = [...closed.homes, ...closedDirectories].filter(
      (directory) => !isInside(workspace, directory),
    );
    return [
      [this.#bwrap],
      await this.#machine(closed),
      hasNetwork ? ['--share-net'] : [],
      mounts.flatMap((mount) => this.#mount(mount)),
      [isReadOnly ? '--ro-bind' : '--bind', workspace, workspace],
      protectedPaths.flatMap(({ path, isReadOnly }) => [isReadOnly ? '--ro-bind' : '--bind', path, path]),
      inside.flatMap((directory) => ['--tmpfs', directory]),
      masks,
      // Last, because the mounts above need writable mount points in them.
      ['/', ...outside, ...inside].flatMap((directory) => ['--remount-ro', directory]),
      ['--chdir', cwd],
      environmentArguments(env, keepsEnvironment),
      ['--', ...this.#limits(), ...argv],
    ].flat();
  }

  /** Throws if commands cannot run in this workspace; returns the directories whose content is hidden from them. */
  async checkWorkspace(workspace: string): Promise<ClosedDirectories> {
    if (workspace === '/') throw new PathError('The root directory cannot be a workspace');
    const closed = await this.#closed();
    if (closed.hidden.includes(workspace))
      throw new PathError('The workspace is a folder that is hidden from commands');
    await this.#createHidden(workspace);
    return this.#closed();
  }

  /** Creates what is hidden in the workspace and missing, because a command could create it otherwise. */
  async #createHidden(workspace: string): Promise<void> {
    for (const directory of this.#options.hiddenDirectories) {
      if (!isInside(workspace, directory)) continue;
      const error = await mkdir(directory, { recursive: true, mode: 0o700 }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      // Where the daemon may not write, a command may not either.
      if (['EACCES', 'EROFS', 'EPERM'].includes(codeOf(error) ?? '')) continue;
      // A link could be replaced, because only a real directory can be hidden.
      if (error !== undefined || (await realpath(directory)) !== directory)
        throw new PathError(`Commands cannot run here, because ${directory} cannot be hidden from them`, {
          cause: error,
        });
    }
  }

  async #try(): Promise<SandboxState> {
    if (process.platform !== 'linux') return broken('bubblewrap works on Linux only');
    const bwrap = await findProgram('bwrap', this.#options.path);
    if (bwrap === undefined) return broken('bubblewrap (bwrap) is not installed');
    this.#bwrap = bwrap;
    const { execa } = await import('execa');
    closeInheritedDescriptors();
    const invoke = (args: string[]) =>
      execa(bwrap, args, { env: {}, extendEnv: false, stdin: 'ignore', timeout: TRIAL_MS, reject: false });
    this.#help = (await invoke(['--help'])).stdout;
    // Before Linux 5.14, the limit also counts the user's processes outside the sandbox.
    if (isAtLeast(release(), 5, 14)) this.#prlimit = await findProgram('prlimit', '/usr/bin:/bin');
    const machine = await this.#machine(await this.#closed());
    const variables = environmentArguments({ PATH: this.#options.path });
    const trial = await invoke([...machine, ...variables, '--', ...this.#limits(), 'true']);
    if (!trial.failed) return { isWorking: true };
    const [message = ''] = trial.stderr.trim().split('\n');
    return broken(`bubblewrap does not work here: ${message || trial.shortMessage}`.slice(0, 500));
  }

  #limits(): string[] {
    return this.#prlimit === undefined ? [] : [this.#prlimit, `--nproc=${MAX_PROCESSES}`, '--core=0', '--'];
  }

  /** The directories whose content is hidden from commands. */
  async #closed(): Promise<ClosedDirectories> {
    const { home, hiddenDirectories } = this.#options;
    const homes = ['/home', '/root', home].filter((directory) => isAbsolute(directory) && directory !== '/');
    return {
      homes: [...new Set([...homes, ...(await realDirectories(homes))])],
      hidden: await realDirectories(hiddenDirectories),
    };
  }

  /** Everything but the workspace; later mounts cover earlier ones. */
  async #machine({ homes, hidden }: ClosedDirectories): Promise<string[]> {
    const programs = await programMounts(this.#options.path, homes, hidden);
    return [
      ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
      // No nested user namespaces: they expose more of the kernel than a command needs.
      this.#has('--disable-userns') ? ['--unshare-user', '--disable-userns'] : [],
      ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'].flatMap(bindReadOnly),
      etcEntries.flatMap((name) => bindReadOnly(`/etc/${name}`)),
      // If the daemon runs as root, kernel settings would be writable in /proc.
      ['--proc', '/proc', '--remount-ro', '/proc'],
      ['--dev', '/dev', ...this.#memory('/dev/shm'), '--remount-ro', '/dev'],
      this.#memory('/tmp'),
      homes.flatMap((directory) => ['--tmpfs', directory]),
      programs.flatMap(({ source, target }) => ['--ro-bind-try', source, target]),
      hidden.flatMap((directory) => ['--tmpfs', directory]),
    ].flat();
  }

  #mount(mount: SandboxMount): string[] {
    if ('isMemory' in mount) return this.#memory(mount.target);
    return [mount.isReadOnly ? '--ro-bind' : '--bind', mount.source, mount.target];
  }

  #memory(directory: string): string[] {
    const size = this.#has('--size') ? ['--size', String(MEMORY_BYTES)] : [];
    return [...size, '--tmpfs', directory];
  }

  #has(option: string): boolean {
    return this.#help.includes(`${option} `);
  }
}

const broken = (reason: string): SandboxState => ({ isWorking: false, reason });
const bindReadOnly = (path: string) => ['--ro-bind-try', path, path];

const environmentArguments = (env: Record<string, string>, isAdded = false) => [
  ...(isAdded ? [] : ['--clearenv']),
  ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
];

/** The real paths of the directories that exist, parents before children. */
const realDirectories = async (directories: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(directories.map(realDirectory));
  return [...new Set(found.filter((directory) => directory !== undefined))].sort();
};

async function mask(path: string): Promise<string[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory()) return ['--tmpfs', path, '--remount-ro', path];
  return found?.isFile() ? ['--ro-bind', '/dev/null', path] : [];
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [actualMajor = 0, actualMinor = 0] = version.split('.').map(Number);
  return actualMajor > major || (actualMajor === major && actualMinor >= minor);
}

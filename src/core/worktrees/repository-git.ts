import { copyFile, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { codeOf } from '../paths/file-errors.ts';
import type { GitShells } from '../processes/git-shells.ts';
import { plainGitEnvironment, runGit } from '../processes/run-git.ts';
import { workUmask } from '../processes/work-umask.ts';

/** Large repositories take minutes to check out. */
const LIMIT_MS = 300_000;

/** What keeps git from running programs and from writing more than a command is for. */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.safecrlf=false',
  'core.askPass=',
  'credential.helper=',
  'protocol.file.allow=user',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'diff.external=',
  'apply.whitespace=nowarn',
  'apply.ignoreWhitespace=no',
  'branch.autoSetupMerge=false',
  'worktree.useRelativePaths=false',
  'safe.bareRepository=explicit',
];

/** For a command that reaches a server: nothing but that server, over connections that are verified. */
const remoteSettings = [
  ...settings,
  'http.followRedirects=false',
  'http.sslVerify=true',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
  'push.followTags=false',
  'push.gpgSign=false',
  'push.recurseSubmodules=no',
];

/** Programs that the settings of a repository can name, with what replaces them: nothing, or a merge that conflicts. */
const programs: [key: RegExp, value: string][] = [
  [/^filter\..*\.(?:clean|smudge|process)$/is, ''],
  [/^filter\..*\.required$/is, 'false'],
  [/^diff\..*\.(?:command|textconv)$/is, ''],
  [/^merge\..*\.driver$/is, 'false'],
];

/** Where git works: in a checkout that it finds itself, or in one whose directories are known. */
export interface GitPlace {
  cwd: string;
  /** Without them git looks for a repository, as it does for people. */
  known?: {
    gitDirectory: string;
    /** What all worktrees of the repository share. */
    commonDirectory: string;
    workTree: string;
  };
}

export interface GitParts {
  program: string;
  /** A private directory for indexes that last for one operation. */
  scratch: string;
  /** What the commands run in. */
  shells: Pick<GitShells, 'run'>;
}

/** The one server that a command may reach. */
export interface RemoteAccess {
  /** Without a path or a slash at its end. */
  origin: string;
  /** The header that authorizes the requests. Git gets it in its environment only. */
  authorization: string;
}

export interface RunOptions {
  stdin?: string | Uint8Array;
  maxBytes?: number;
  /** Instead of the index of the checkout. */
  index?: string;
  /** The name and address of a commit. */
  identity?: { name: string; email: string };
  signal?: AbortSignal;
}

/**
 * Runs git in the repository of a person. The content and the settings of a repository are untrusted: no hook, filter,
 * monitor or driver runs, nothing is fetched, and the settings of the person and the system are not read.
 */
export class RepositoryGit {
  readonly place: GitPlace;
  readonly #program: string;
  readonly #scratch: string;
  readonly #shells: GitParts['shells'];
  #overrides: Promise<string[]> | undefined;

  constructor(place: GitPlace, { program, scratch, shells }: GitParts) {
    this.place = place;
    this.#program = program;
    this.#scratch = scratch;
    this.#shells = shells;
  }

  /** The same repository from another place. */
  at(place: GitPlace): RepositoryGit {
    return new RepositoryGit(place, { program: this.#program, scratch: this.#scratch, shells: this.#shells });
  }

  /** Where git finds a repository from here. Nothing that its settings name has a part in it. */
  async locate(): Promise<{ workTree: string; gitDirectory: string; commonDirectory: string }> {
    const ask = async (...which: string[]) => {
      const found = await this.#run([...settingArguments(settings), 'rev-parse', ...which], {});
      return found.toString().replace(/\n$/, '');
    };
    const which = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
    let paths = (await ask(...which)).split('\n');
    // The name of a directory may hold line feeds.
    if (paths.length !== which.length) paths = await Promise.all(which.map((one) => ask(one)));
    const [workTree = '', gitDirectory = '', commonDirectory = ''] = await Promise.all(
      paths.map((path) => realpath(resolve(this.place.cwd, path))),
    );
    return { workTree, gitDirectory, commonDirectory };
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Buffer> {
    this.#overrides ??= this.#findPrograms();
    return this.#run([...settingArguments([...settings, ...(await this.#overrides)]), ...args], options);
  }

  /** The output as text, without the line end. */
  async text(args: readonly string[], options?: RunOptions): Promise<string> {
    return (await this.run(args, options)).toString().replace(/\n$/, '');
  }

  /** Does the work with the path of an index that does not exist yet and is removed afterwards. */
  async withIndex<T>(work: (index: string) => Promise<T>): Promise<T> {
    const directory = await mkdtemp(join(this.#scratch, 'index-'));
    try {
      return await work(join(directory, 'index'));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /**
   * Runs a command that reaches a server, in an empty repository that has the objects of this one. A setting of this one
   * could send the credentials to another server, or through a proxy.
   */
  async runRemote(args: readonly string[], { origin, authorization }: RemoteAccess): Promise<Buffer> {
    const { known } = this.place;
    if (!known) throw new Error('The directories of the repository are known');
    const { commonDirectory } = known;
    const format = await this.text(['rev-parse', '--show-object-format']);
    const directory = await mkdtemp(join(this.#scratch, 'remote-'));
    const signal = AbortSignal.timeout(LIMIT_MS);
    const call = { program: this.#program, cwd: directory, signal };
    const env = { ...plainGitEnvironment, HOME: '/' };
    try {
      const init = ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, directory];
      await runGit({ ...call, args: init, env });
      // Present in a clone that has a part of the history.
      await copyFile(join(commonDirectory, 'shallow'), join(directory, 'shallow')).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error;
      });
      return await runGit({
        ...call,
        args: [...settingArguments(remoteSettings), ...args],
        env: {
          ...env,
          GIT_DIR: directory,
          GIT_OBJECT_DIRECTORY: join(commonDirectory, 'objects'),
          GIT_ALLOW_PROTOCOL: new URL(origin).protocol.replace(':', ''),
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
          GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
        },
      });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /** Overrides for the programs that the settings name now. */
  async #findPrograms(): Promise<string[]> {
    const listed = await this.#run(
      [...settingArguments(settings), 'config', '--null', '--name-only', '--list'],
      {},
    );
    const names = new Set(listed.toString().split('\0'));
    const overrides: string[] = [];
    for (const name of names) {
      const found = programs.find(([key]) => key.test(name));
      if (!found) continue;
      // An option ends the name at the first of them, so that the override would be another setting.
      if (name.includes('='))
        throw new AppError(
          'conflict',
          `Git would run a program of this repository, because its setting ${name} cannot be switched off`,
        );
      overrides.push(`${name}=${found[1]}`);
    }
    return overrides;
  }

  #run(args: readonly string[], { stdin, maxBytes, index, identity, signal }: RunOptions): Promise<Buffer> {
    const { cwd, known } = this.place;
    const limit = AbortSignal.timeout(LIMIT_MS);
    return this.#shells.run({
      program: this.#program,
      args,
      cwd,
      stdin,
      maxBytes,
      umask: workUmask(),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      env: {
        ...plainGitEnvironment,
        HOME: '/',
        GIT_LFS_SKIP_SMUDGE: '1',
        GIT_PAGER: 'cat',
        GIT_EDITOR: 'true',
        ...(known && {
          GIT_DIR: known.gitDirectory,
          GIT_COMMON_DIR: known.commonDirectory,
          GIT_WORK_TREE: known.workTree,
        }),
        ...(index !== undefined && { GIT_INDEX_FILE: index }),
        ...(identity && {
          GIT_AUTHOR_NAME: identity.name,
          GIT_AUTHOR_EMAIL: identity.email,
          GIT_COMMITTER_NAME: identity.name,
          GIT_COMMITTER_EMAIL: identity.email,
        }),
      },
    });
  }
}

const settingArguments = (all: readonly string[]) => all.flatMap((setting) => ['-c', setting]);

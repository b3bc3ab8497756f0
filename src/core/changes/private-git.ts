import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainGitEnvironment, runGit } from '../processes/run-git.ts';

/** No program, no conversion and nothing of the person's settings: contents are stored byte for byte. */
const config = `[core]
\trepositoryformatversion = 0
\tbare = false
\tfilemode = true
\tcompression = 0
\tfsync = none
\tsymlinks = true
\tignorecase = false
\tprecomposeunicode = false
\tprotectHFS = false
\tprotectNTFS = false
\tautocrlf = false
\tsafecrlf = false
\tfsmonitor = false
\tuntrackedCache = false
\thooksPath = /dev/null
\texcludesFile = /dev/null
\tattributesFile = /dev/null
[submodule]
\trecurse = false
[gc]
\tauto = 0
`;
/** Overrides the .gitattributes of the workspace, which may name filters. */
const attributes = '* -text -eol -crlf -ident -filter -working-tree-encoding\n';

export interface GitOptions {
  /** The root of the files. */
  workTree: string;
  /** Where git runs; paths are relative to it. */
  cwd: string;
  signal: AbortSignal;
  /** Files of this repository unless it names another one that does not exist. */
  index?: string;
  stdin?: string;
  /** Output beyond it fails the call. */
  maxBytes?: number;
}

/**
 * A repository of svc's own, outside of every workspace, which keeps snapshots of one. Only plumbing commands run in it
 * that read directories, files and `.gitignore`; nothing in the workspace can make them run a program, and the
 * repository of the person is never touched.
 */
export class PrivateGit {
  readonly directory: string;
  readonly #program: string;
  constructor(directory: string, program: string) {
    this.directory = directory;
    this.#program = program;
  }

  async create(): Promise<void> {
    // The lock of a git that was killed; this process is the only one that uses the repository.
    await rm(join(this.directory, 'index.lock'), { force: true });
    if (existsSync(join(this.directory, 'HEAD'))) return;
    for (const name of ['objects', 'refs', 'info'])
      await mkdir(join(this.directory, name), { recursive: true, mode: 0o700 });
    await writeFile(join(this.directory, 'config'), config, { mode: 0o600 });
    await writeFile(join(this.directory, 'info/attributes'), attributes, { mode: 0o600 });
    await writeFile(join(this.directory, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 });
  }

  /**
   * The options with which `update-index` writes many contents into one file, instead of one file each, which takes ten
   * times as long. An older git would write one such file for each.
   */
  async bulkOptions(options: GitOptions): Promise<string[]> {
    const version = (await this.run(['version'], options)).toString();
    const [, major = '0', minor = '0'] = /(\d{1,4})\.(\d{1,4})/.exec(version) ?? [];
    const isRecent = Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38);
    return isRecent ? ['-c', 'core.bigFileThreshold=1'] : [];
  }

  /** Runs git and resolves with its output. */
  run(args: readonly string[], options: GitOptions): Promise<Buffer> {
    const { cwd, signal, stdin, maxBytes } = options;
    return runGit({
      program: this.#program,
      args,
      cwd,
      env: this.#environment(options),
      signal,
      stdin,
      maxBytes,
    });
  }

  #environment({ workTree, index }: GitOptions): Record<string, string> {
    return {
      ...plainGitEnvironment,
      HOME: this.directory,
      XDG_CONFIG_HOME: this.directory,
      GIT_DIR: this.directory,
      GIT_WORK_TREE: workTree,
      GIT_INDEX_FILE: index ?? join(this.directory, 'index'),
      GIT_LITERAL_PATHSPECS: '1',
    };
  }
}

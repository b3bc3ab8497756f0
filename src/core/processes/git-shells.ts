import type { Runtime } from '../runtime.ts';
import { GitShell, type ShellCall } from './git-shell.ts';
import { runGit } from './run-git.ts';

/** The shells that stay when nothing runs in them. */
const MAX_IDLE = 2;
/** More input is written to a git that is started for it. */
const MAX_INPUT = 64 * 1024;

/**
 * Runs git as `runGit` does, in shells that stay: the daemon is large, so that it takes ten times as long as a shell to
 * start a program, and does nothing else meanwhile.
 */
export class GitShells {
  readonly #newSecret: Runtime['newSecret'];
  readonly #idle: GitShell[] = [];
  #isClosed = false;

  constructor({ newSecret }: Pick<Runtime, 'newSecret'>) {
    this.#newSecret = newSecret;
  }

  /** Resolves with the output; throws a `GitFailed` with the end of what git says. */
  async run(call: ShellCall): Promise<Buffer> {
    if (Buffer.byteLength(call.stdin ?? '') > MAX_INPUT) return runGit(call);
    const shell = this.#take();
    try {
      return await shell.run(call);
    } finally {
      await this.#giveBack(shell);
    }
  }

  /** Ends the shells; a command that still comes gets one of its own. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.splice(0).map((shell) => shell.close()));
  }

  #take(): GitShell {
    for (;;) {
      const shell = this.#idle.pop();
      if (!shell) return new GitShell(Buffer.from(this.#newSecret(24), 'base64url').toString('hex'));
      if (shell.isAlive) return shell;
    }
  }

  async #giveBack(shell: GitShell): Promise<void> {
    if (shell.isAlive && !this.#isClosed && this.#idle.length < MAX_IDLE) this.#idle.push(shell);
    else await shell.close();
  }
}

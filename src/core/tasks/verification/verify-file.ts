import { safeParse } from '../../../contract/safe-parse.ts';
import { verifySchema } from '../../../contract/verification.ts';
import { AgentFailure, type AgentRun } from '../../agents/agent-adapter.ts';
import { repositoryRootOf } from '../../paths/project-root.ts';
import { type GitReading, readGit } from '../../processes/read-git.ts';
import type { Sandbox } from '../../processes/sandbox.ts';
import type { Database } from '../../storage/database.ts';
import type { OpenWorktree } from '../../worktrees/worktrees.ts';

/** The file of a repository that names the commands that verify work in it. */
export const VERIFY_FILE = '.svc/verify';

export interface VerifyFileDeps {
  database: Pick<Database, 'read'>;
  sandbox: Pick<Sandbox, 'check'>;
  shells: GitReading['shells'];
  /** The daemon's environment. */
  env: Record<string, string | undefined>;
}

export interface VerifiedTask {
  id: string;
  seq: number;
}

/**
 * Reads the commands that a repository names for the work in it, as they were in the commit that the first attempt began
 * with: whatever an agent writes or commits, it cannot choose what it is judged by.
 */
export class VerifyFile {
  readonly #deps: VerifyFileDeps;
  constructor(deps: VerifyFileDeps) {
    this.#deps = deps;
  }

  /** Call it before the agent starts. */
  async commands(
    task: VerifiedTask,
    run: Pick<AgentRun, 'workspace' | 'emit'>,
    worktree?: Pick<OpenWorktree, 'row' | 'readCommitted'>,
  ): Promise<string[] | undefined> {
    const { env, shells } = this.#deps;
    const git = { cwd: await run.workspace(), env, shells };
    const commit = worktree?.row.base ?? (await this.#baseOf(task, run, git));
    if (commit === '') return undefined;
    const text = worktree
      ? await worktree.readCommitted(VERIFY_FILE)
      : await readGit(['cat-file', 'blob', `${commit}:./${VERIFY_FILE}`], git);
    const commands = (text ?? '').split('\n').map((line) => line.trim());
    const named = commands.filter((line) => line !== '' && !line.startsWith('#'));
    if (named.length === 0) return undefined;
    const parsed = safeParse(verifySchema, named);
    if (!parsed.success)
      throw new AgentFailure(
        'invalid_input',
        'verify_file',
        `${VERIFY_FILE} of commit ${commit.slice(0, 10)} is not a list of at most 10 commands, one per line`,
        { isFinal: true },
      );
    // A person named none of them: without a sandbox, a repository could run what it wants.
    const { isWorking } = await this.#deps.sandbox.check();
    if (isWorking) return parsed.data;
    run.emit({
      type: 'progress',
      message: `The commands of ${VERIFY_FILE} do not run, because there is no sandbox. Name them with --verify`,
    });
    return undefined;
  }

  async #baseOf(task: VerifiedTask, run: Pick<AgentRun, 'emit'>, git: GitReading): Promise<string> {
    const known = await this.#recorded(task);
    if (known !== undefined) return known;
    const head = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
    // Most directories without a repository are known for it without asking git.
    const hasRepository = (await repositoryRootOf(git.cwd)) !== undefined;
    const verifyBase = (hasRepository ? await readGit(head, git) : undefined)?.trim() ?? '';
    run.emit({
      type: 'progress',
      message:
        verifyBase === '' ? 'Begins without a commit' : `Begins with commit ${verifyBase.slice(0, 10)}`,
      data: { verifyBase },
    });
    return verifyBase;
  }

  /** What an earlier attempt began with. No event of an agent has data of this form. */
  async #recorded({ seq }: VerifiedTask): Promise<string | undefined> {
    const row = await this.#deps.database.read
      .selectFrom('task_events')
      .select('data')
      .where('task_seq', '=', seq)
      .where('type', '=', 'progress')
      .where('data', 'like', '{"verifyBase":%')
      .orderBy('seq')
      .executeTakeFirst();
    const { verifyBase } = JSON.parse(row?.data ?? '{}') as { verifyBase?: unknown };
    return typeof verifyBase === 'string' ? verifyBase : undefined;
  }
}

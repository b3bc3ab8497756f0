import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AppliedChanges, Changes, CommittedChanges, DiscardedChanges } from '../../contract/changes.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, requireCommandRights, requireOwned } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { SecretFiles } from '../paths/secret-files.ts';
import { GitFailed } from '../processes/run-git.ts';
import type { Database } from '../storage/database.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { applyChanges } from '../worktrees/apply-changes.ts';
import { commitChanges } from '../worktrees/commit-changes.ts';
import { isThere } from '../worktrees/create-worktree.ts';
import type { RepositoryGit } from '../worktrees/repository-git.ts';
import {
  changesBetween,
  countLines,
  patchBetween,
  pathText,
  type TreeChange,
  withoutChanges,
} from '../worktrees/tree-changes.ts';
import { gitInCheckout, gitInRepository, gitInWorktree } from '../worktrees/worktree-git.ts';
import { readSnapshot, snapshotRef, treeOfWorktree } from '../worktrees/worktree-snapshot.ts';
import { shownTree, type Worktrees } from '../worktrees/worktrees.ts';
import type { ChangeSource } from './changed-files.ts';
import { describeChanges } from './describe-changes.ts';
import { secretChanges, secretsInCommits } from './secret-changes.ts';
import { TreeBlobs } from './tree-blobs.ts';

/** The most files that a summary names. */
const MAX_PATHS = 100;

export interface WorktreeChangesDeps {
  database: Database;
  worktrees: Worktrees;
  secretFiles: SecretFiles;
  audit: AuditLog;
  /** The files in which Git keeps the name and address of the person. */
  personalSettings: readonly string[];
}

/** The work of a task in its worktree, from there or from its snapshot. */
interface Work {
  git: RepositoryGit;
  row: WorktreeRow;
  head: string;
  /** The files without what agents keep for themselves. */
  tree: string;
}

/** The branch of a worktree with all changes of its tasks. */
export interface CommittedBranch {
  /** In the repository; it works on no files. */
  git: RepositoryGit;
  row: WorktreeRow;
  commit: string;
  /** Whether changes were not committed before. */
  isNew: boolean;
  /** The files with credentials that any of its commits adds or changes. */
  findSecrets: () => Promise<string[]>;
  /** How much it changes since the worktree began, with the paths of the first files. */
  summarize: () => Promise<{ files: number; additions: number; deletions: number; paths: string[] }>;
}

interface DiscardOptions {
  force: boolean;
  address?: string | undefined;
}

/** Shows what tasks changed in their worktrees, and applies, commits or discards it. */
export class WorktreeChanges {
  readonly #deps: WorktreeChangesDeps;
  constructor(deps: WorktreeChangesDeps) {
    this.#deps = deps;
  }

  find(taskId: string): Promise<WorktreeRow | undefined> {
    return this.#deps.worktrees.find(taskId);
  }

  async describe(row: WorktreeRow): Promise<Changes> {
    const { deps, root, changes, worktree } = await this.source(row);
    return { ...(await describeChanges(deps, root, changes)), worktree, notKept: [] };
  }

  /** What the changed files are described from. */
  async source(row: WorktreeRow): Promise<ChangeSource & { worktree: NonNullable<Changes['worktree']> }> {
    const { secretFiles, worktrees } = this.#deps;
    const { git, head, tree } = await this.#workOf(row);
    const changes = await changesBetween(git, row.base, tree);
    const state = (file: TreeChange['before']) =>
      file && { hash: file.id, mode: Number.parseInt(file.mode, 8) };
    const { base, branch, path, checkout } = row;
    const pullRequest = await worktrees.pullRequestOf(row);
    return {
      deps: { blobs: new TreeBlobs(git, changes), secretFiles },
      root: checkout,
      changes: changes.map((change) => ({
        path: join(checkout, pathText(change)),
        before: state(change.before),
        after: state(change.after),
        isMixed: false,
        rows: [],
      })),
      largePatch: async (file) => (await orConflict(() => patchBetween(git, base, tree, file))).toString(),
      worktree: {
        base,
        head,
        branch,
        ...(row.state !== 'discarded' && { path }),
        ...(pullRequest && { pullRequest }),
      },
    };
  }

  /** The patch as bytes, without the files that hold credentials. */
  async patch(caller: Caller, id: string): Promise<Buffer> {
    const { row } = await this.#require(caller, id, 'reads');
    const { git, tree } = await this.#workOf(row);
    return orConflict(async () => {
      const changes = await changesBetween(git, row.base, tree);
      const secret = await secretChanges(git, row, changes, this.#deps.secretFiles);
      return patchBetween(git, row.base, await withoutChanges(git, tree, secret));
    });
  }

  /** Applies the changes to the checkout that the task named; all of them or none. */
  async apply(caller: Caller, id: string, address?: string): Promise<AppliedChanges> {
    const { row } = await this.#require(caller, id, 'changes');
    const { git, tree } = await this.#workOf(row);
    const { checkout, branch } = row;
    const files = await orConflict(async () => (await changesBetween(git, row.base, tree)).length);
    if (files === 0)
      return { message: 'There are no changes to apply', status: 'unchanged', checkout, files };
    const { worktrees } = this.#deps;
    const isApplied = await orConflict(async () => {
      const patch = await patchBetween(git, row.base, tree);
      return worktrees.inTurn(row, async () =>
        applyChanges({ git: await gitInCheckout(worktrees.tools, row), checkout, branch, patch }),
      );
    });
    if (!isApplied)
      return {
        message: `The changes are in ${checkout} already`,
        status: 'already_applied',
        checkout,
        files,
      };
    await this.#record(caller, 'tasks.changes_applied', id, { checkout, files }, address);
    return { message: `Changes applied to ${checkout} and staged`, status: 'applied', checkout, files };
  }

  /** Commits the changes on the branch of the worktree. */
  async commit(
    caller: Caller,
    id: string,
    { message, address }: { message?: string | undefined; address?: string | undefined },
  ): Promise<CommittedChanges> {
    return this.#deps.worktrees.exclusively(id, async () => {
      const { row: _, ...committed } = await this.#commit(caller, id, { message: () => message, address });
      return committed;
    });
  }

  /**
   * Commits the changes, and does the work with the commit while nothing else changes the worktree. The message of the
   * commit is made from the title of the task.
   */
  async publish<T>(
    caller: Caller,
    id: string,
    { message, address }: { message: (title: string) => string; address?: string | undefined },
    work: (branch: CommittedBranch) => Promise<T>,
  ): Promise<T> {
    return this.#deps.worktrees.exclusively(id, async () => {
      const { row, commit, status } = await this.#commit(caller, id, { message, address });
      const git = await gitInRepository(this.#deps.worktrees.tools, row);
      const { secretFiles } = this.#deps;
      const findSecrets = () => orConflict(() => secretsInCommits(git, row, commit, secretFiles));
      const summarize = () =>
        orConflict(async () => {
          const changes = await changesBetween(git, row.base, commit);
          const paths = changes.slice(0, MAX_PATHS).map((change) => visibleLine(pathText(change)));
          return { ...(await countLines(git, row.base, commit)), paths };
        });
      return work({ git, row, commit, isNew: status === 'committed', findSecrets, summarize });
    });
  }

  async #commit(
    caller: Caller,
    id: string,
    { message, address }: { message: (title: string) => string | undefined; address?: string | undefined },
  ): Promise<CommittedChanges & { row: WorktreeRow }> {
    const { row, title } = await this.#require(caller, id, 'changes');
    if (row.state === 'discarded')
      throw new AppError(
        'wrong_state',
        `The worktree is discarded. Its files are in the commit ${snapshotRef(row.task_id)} of the repository.`,
      );
    const { git, tree, head } = await this.#workOf(row);
    const { personalSettings } = this.#deps;
    const order = { git, row, tree, head, message: message(title) ?? title, personalSettings };
    const commit = await orConflict(() => commitChanges(order));
    const { branch } = row;
    if (commit === undefined)
      return {
        row,
        message: `${branch} has all changes already`,
        status: 'unchanged',
        branch,
        commit: head,
      };
    await this.#record(caller, 'tasks.changes_committed', id, { branch, commit }, address);
    return { row, message: `Changes committed on ${branch}`, status: 'committed', branch, commit };
  }

  /** Removes the worktree and its branch, or those of all candidates; the snapshots stay. */
  async discard(caller: Caller, id: string, options: DiscardOptions): Promise<DiscardedChanges> {
    const { worktrees } = this.#deps;
    const candidates = await worktrees.candidatesOf(id);
    if (candidates.length === 0) return this.#discard(caller, id, options);
    await this.#requireTask(caller, id, 'changes');
    const answers = [];
    for (const candidate of candidates) answers.push(await this.#discard(caller, candidate, options));
    const problems = answers.flatMap(({ teardownProblem }) => teardownProblem ?? []);
    const chosen = await worktrees.find(id);
    return {
      message:
        answers.length === 1
          ? 'Worktree and branch removed'
          : `Worktrees and branches of ${answers.length} candidates removed`,
      status: 'discarded',
      ...(chosen && { snapshot: snapshotRef(chosen.task_id) }),
      ...(problems.length > 0 && { teardownProblem: problems.join('\n') }),
    };
  }

  async #discard(caller: Caller, id: string, { force, address }: DiscardOptions): Promise<DiscardedChanges> {
    return this.#deps.worktrees.exclusively(id, async () => {
      const { row, isTrusted } = await this.#require(caller, id, 'changes');
      const snapshot = snapshotRef(row.task_id);
      if (row.state === 'discarded')
        return { message: 'The worktree is discarded already', status: 'unchanged', snapshot };
      const { worktrees } = this.#deps;
      const isKept = await this.#keep(row, force);
      const teardownProblem = await worktrees.remove(row, isTrusted);
      await this.#record(caller, 'tasks.changes_discarded', id, { branch: row.branch }, address);
      return {
        message: 'Worktree and branch removed',
        status: 'discarded',
        ...(isKept && { snapshot }),
        ...(teardownProblem !== undefined && { teardownProblem }),
      };
    });
  }

  /** Whether the files are in a snapshot; throws where some cannot be, unless they may be lost. */
  async #keep(row: WorktreeRow, force: boolean): Promise<boolean> {
    if (!existsSync(row.repository)) return false;
    try {
      const { leftOut } = await this.#deps.worktrees.snapshot(row);
      if (leftOut.length === 0 || force) return true;
      throw new AppError(
        'conflict',
        `Not all files of ${row.path} can be kept: ${leftOut.slice(0, 10).join(', ')}. Move them away, or discard them too: svc tasks discard ${row.task_id} --force`,
      );
    } catch (error) {
      if (!(error instanceof GitFailed) || force) {
        if (error instanceof GitFailed) return false;
        throw error;
      }
      throw new AppError(
        'conflict',
        `The files of ${row.path} cannot be kept: ${error.message}. To discard them nevertheless: svc tasks discard ${row.task_id} --force`,
        { cause: error },
      );
    }
  }

  async #workOf(row: WorktreeRow): Promise<Work> {
    const { worktrees } = this.#deps;
    worktrees.requireHere(row);
    if (!existsSync(row.repository))
      throw new AppError('conflict', `The repository ${row.repository} of the task is gone`);
    return orConflict(async () => {
      const isLive = row.state !== 'discarded' && row.state !== 'creating' && isThere(row);
      const git = isLive
        ? await gitInWorktree(worktrees.tools, row)
        : await gitInRepository(worktrees.tools, row);
      const found = isLive ? await treeOfWorktree(git, row.base) : await readSnapshot(git, row.task_id);
      // Nothing has happened in it.
      if (!found)
        return { git, row, head: row.base, tree: await git.text(['rev-parse', `${row.base}^{tree}`]) };
      return { git, row, head: found.head, tree: await shownTree(git, row, found) };
    });
  }

  async #requireTask(caller: Caller, id: string, access: 'reads' | 'changes') {
    const found = await this.#deps.database.read
      .selectFrom('tasks')
      .select(['owner_id', 'status', 'title', 'is_trusted', 'best_of'])
      .where('id', '=', id)
      .executeTakeFirst();
    const task = requireOwned(caller, found, 'Task');
    if (access === 'changes') requireCommandRights(caller);
    if (access === 'changes' && !isTerminal(task.status))
      throw new AppError(
        'wrong_state',
        `The task is ${task.status}. Wait for it, or cancel it first: svc tasks cancel ${id}`,
      );
    return task;
  }

  async #require(caller: Caller, id: string, access: 'reads' | 'changes') {
    const { worktrees } = this.#deps;
    const task = await this.#requireTask(caller, id, access);
    const row = await worktrees.find(id);
    if (!row)
      throw new AppError(
        'wrong_state',
        task.best_of === null
          ? 'The task did not work in a worktree. See: svc tasks diff, svc tasks undo'
          : `No candidate was chosen. Compare them, and name one instead: svc tasks compare ${id}`,
      );
    worktrees.requireHere(row);
    if (access === 'changes' && !(await worktrees.isIdle(row)))
      throw new AppError(
        'wrong_state',
        'A task that continues this one works in the worktree. Wait for it, or cancel it',
      );
    return { row, title: task.title, isTrusted: task.is_trusted === 1 };
  }

  async #record(
    caller: Caller,
    tool: string,
    taskId: string,
    args: Record<string, unknown>,
    address: string | undefined,
  ): Promise<void> {
    const { database, audit } = this.#deps;
    await database.write((transaction) =>
      audit.append(transaction, {
        kind: 'security',
        tool,
        userId: caller.userId,
        taskId,
        address,
        arguments: args,
        result: 'ok',
      }),
    );
  }
}

/** A repository can be damaged, or too large to read. */
async function orConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new AppError('conflict', `Git cannot work with the changes: ${error.message}`, { cause: error });
  }
}

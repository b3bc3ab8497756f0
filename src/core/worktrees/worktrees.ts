import { existsSync } from 'node:fs';
import { mkdir, realpath, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PullRequest } from '../../contract/changes.ts';
import type { TaskChanges } from '../../contract/task.ts';
import { AgentFailure } from '../agents/agent-adapter.ts';
import { SerialByKey } from '../async/serial-by-key.ts';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { isInside } from '../paths/real-path.ts';
import { GitFailed } from '../processes/run-git.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import { CommittedFiles } from './committed-files.ts';
import { isThere } from './create-worktree.ts';
import type { GitTools } from './git-tools.ts';
import { removeWorktree } from './remove-worktree.ts';
import { changesBetween, countLines, isOfAgent, withoutChanges } from './tree-changes.ts';
import { runWorktreeCommands } from './worktree-commands.ts';
import { WorktreeCreation, type WorktreeCreationDeps, type WorktreeOrder } from './worktree-creation.ts';
import { readWorktreeFile } from './worktree-file.ts';
import { gitInRepository, gitInWorktree } from './worktree-git.ts';
import {
  commitOf,
  inspectWorktree,
  keepSnapshot,
  readSnapshot,
  snapshotRef,
  treeOfWorktree,
  type WorktreeTree,
} from './worktree-snapshot.ts';

/** Folders that agents leave behind where they are killed. */
const LEFT_BEHIND = ['.agents', '.aws', '.codex', '.git'];

export interface WorktreesDeps extends Omit<WorktreeCreationDeps, 'makeRoom' | 'inTurn'> {
  log: Pick<Log, 'warn'>;
}

/** A worktree in which a task works. */
export interface OpenWorktree {
  row: WorktreeRow;
  /** The directory in it that stands for that of the task. */
  workspace: string;
  /** The text of a file in `.svc` of that directory at the first commit; undefined where there is none. */
  readCommitted: (path: string) => Promise<string | undefined>;
}

/** Gives tasks Git worktrees of their own, in which they cannot disturb the checkout or each other. */
export class Worktrees {
  readonly #deps: WorktreesDeps;
  readonly #repositories = new SerialByKey();
  readonly #tasks = new SerialByKey();
  readonly #creation: WorktreeCreation;
  constructor(deps: WorktreesDeps) {
    this.#deps = deps;
    this.#creation = new WorktreeCreation({
      ...deps,
      makeRoom: (taskId) => this.#tidyOthers(taskId),
      inTurn: (row, work) => this.inTurn(row, work),
    });
  }

  get tools(): GitTools {
    return this.#deps.tools;
  }

  /** The worktree of a task, which tasks that continue its session share. */
  async find(taskId: string): Promise<WorktreeRow | undefined> {
    return this.#deps.store.find(await this.#deps.store.ownerOf(taskId));
  }

  /** Throws where it is on another host, whose daemons alone can work with it. */
  requireHere(row: WorktreeRow): void {
    if (this.#deps.store.isHere(row)) return;
    throw new AppError(
      'conflict',
      `The worktree of the task is on the host ${row.host}. Send the request to a daemon there.`,
    );
  }

  /** The last task that worked in it; undefined where its own was deleted. */
  lastTaskOf({ task_id }: Pick<WorktreeRow, 'task_id'>): Promise<string | undefined> {
    return this.#deps.store.lastOf(task_id);
  }

  /** The pull request that was opened for it. */
  pullRequestOf({ task_id }: Pick<WorktreeRow, 'task_id'>): Promise<PullRequest | undefined> {
    return this.#deps.store.pullRequestOf(task_id);
  }

  /** The candidates of a task whose worktrees are there. */
  candidatesOf(parentId: string): Promise<string[]> {
    return this.#deps.store.candidatesOf(parentId);
  }

  /** Whether no unfinished task works in it: its own, or one that continues that. */
  async isIdle({ task_id }: WorktreeRow): Promise<boolean> {
    return (await this.#deps.store.isIdle(task_id)).isIdle;
  }

  /** Whether all work in it comes from people with rights. */
  isTrusted({ task_id }: Pick<WorktreeRow, 'task_id'>): Promise<boolean> {
    return this.#deps.store.isTrusted(task_id);
  }

  /** Does the work while nothing else changes the repository in the name of svc. */
  inTurn<T>({ repository }: Pick<WorktreeRow, 'repository'>, work: () => Promise<T>): Promise<T> {
    return this.#repositories.enqueue(repository, work);
  }

  /** Does the work while no run of the task opens its worktree and nothing tidies it. */
  async exclusively<T>(taskId: string, work: () => Promise<T>): Promise<T> {
    return this.#tasks.enqueue(await this.#deps.store.ownerOf(taskId), work);
  }

  /** The worktree of the task, created and set up at the first call; undefined where it works in its directory. */
  async open(order: WorktreeOrder): Promise<OpenWorktree | undefined> {
    return orAgentFailure(async () => {
      const owner = await this.#deps.store.ownerOf(order.task.id);
      return this.#tasks.enqueue(owner, () => this.#open(order, owner));
    });
  }

  async #open(order: WorktreeOrder, owner: string): Promise<OpenWorktree | undefined> {
    const { store } = this.#deps;
    const known = await store.find(owner);
    const isKnown = known && known.state !== 'discarded';
    if (isKnown && known.state === 'ready' && isThere(known)) return this.#opened(known);
    const begun = isKnown ? await this.#creation.again(known) : await this.#creation.begin(order);
    if (!begun) return undefined;
    await this.#creation.complete(begun, order);
    return this.#opened(begun.row, begun.files);
  }

  async #opened(row: WorktreeRow, known?: CommittedFiles): Promise<OpenWorktree> {
    const filesOf = async () =>
      CommittedFiles.of(await gitInRepository(this.#deps.tools, row), row.base, row.subdirectory);
    return {
      row,
      workspace: await workspaceIn(row),
      readCommitted: (path) =>
        orAgentFailure(async () => (known ?? (await filesOf())).read(join(row.subdirectory, path))),
    };
  }

  /** What a run left in the worktree, kept in a snapshot. */
  async finish({ row, workspace }: OpenWorktree): Promise<TaskChanges> {
    for (const directory of new Set([row.path, workspace]))
      for (const name of LEFT_BEHIND)
        // Only where it is an empty directory, which Git does not have, so that it is new.
        await rmdir(join(directory, name)).catch(() => undefined);
    const { store, tools } = this.#deps;
    const git = await gitInWorktree(tools, row);
    const found = await inspectWorktree(git, row);
    await keepSnapshot(git, row, found);
    const { head, tree, baseTree } = found;
    const counted =
      tree === baseTree ? { files: 0, additions: 0, deletions: 0 } : await countLines(git, row.base, tree);
    const pullRequest = await store.pullRequestOf(row.task_id);
    return {
      base: row.base,
      head,
      branch: row.branch,
      ...counted,
      patch: `/api/tasks/${row.task_id}/changes/patch`,
      ...(pullRequest && { pullRequest }),
    };
  }

  /** The files of the worktree now, or of its branch where it is gone; they are kept under the snapshot of the task. */
  async snapshot(row: WorktreeRow): Promise<WorktreeTree> {
    if (!isThere(row)) return this.#snapshotOfBranch(row);
    const git = await gitInWorktree(this.#deps.tools, row);
    const found = await inspectWorktree(git, row);
    await keepSnapshot(git, row, found);
    return found;
  }

  /** An earlier snapshot may hold files that the branch never had. */
  async #snapshotOfBranch(row: WorktreeRow): Promise<WorktreeTree> {
    const git = await gitInRepository(this.#deps.tools, row);
    const branch = await commitOf(git, `refs/heads/${row.branch}`);
    const kept = await readSnapshot(git, row.task_id);
    if (kept && (branch === undefined || branch === kept.head)) return { ...kept, leftOut: [] };
    const head = branch ?? row.base;
    const found = { tree: await git.text(['rev-parse', `${head}^{tree}`]), head, leftOut: [] };
    await keepSnapshot(git, row, { ...found, more: kept ? [kept.commit] : [] });
    return found;
  }

  /** Removes the worktree and its branch after its teardown; resolves to why the teardown failed, if it did. */
  async remove(row: WorktreeRow, isTrusted: boolean): Promise<string | undefined> {
    const { store, tools } = this.#deps;
    const git = await gitInRepository(tools, row);
    let problem: string | undefined;
    if (row.state === 'ready' && existsSync(row.path))
      try {
        const { teardown: commands } = await readWorktreeFile(await CommittedFiles.of(git, row.base));
        await runWorktreeCommands(this.#deps, { row, kind: 'teardown', commands, isTrusted });
      } catch (error) {
        if (!(error instanceof AgentFailure)) throw error;
        problem = error.message;
      }
    await this.inTurn(row, () => removeWorktree(git, row));
    await store.setState(row.task_id, 'discarded');
    return problem;
  }

  /** Removes the worktrees of finished tasks in which nothing would be lost, and the snapshots of deleted tasks. */
  async tidy(): Promise<void> {
    for (const { task_id } of await this.#deps.store.list())
      await this.tidyOne(task_id).catch((error: unknown) =>
        this.#deps.log.warn({ taskId: task_id, reason: messageOf(error) }, 'a worktree could not be tidied'),
      );
  }

  /** Does so with that of one task; what has changes stays, unless another candidate was chosen and it is all kept. */
  async tidyOne(taskId: string): Promise<void> {
    await this.#tasks.enqueue(taskId, async () => {
      const { store } = this.#deps;
      const row = await store.find(taskId);
      if (!row) return;
      const { isIdle, isDeleted, isTrusted } = await store.isIdle(taskId);
      if (!isIdle) return;
      if (row.state === 'discarded') {
        if (isDeleted) await this.#forget(row);
        return;
      }
      if (!existsSync(row.repository)) return;
      if ((await this.isClean(row)) || ((await store.isSpare(taskId)) && (await this.#canKeep(row))))
        await this.remove(row, isTrusted);
    });
  }

  async #canKeep(row: WorktreeRow): Promise<boolean> {
    return (await this.snapshot(row)).leftOut.length === 0;
  }

  /** Whether nothing would be lost with it: it has no changes, and its commits are on another branch. */
  async isClean(row: WorktreeRow): Promise<boolean> {
    const { tools } = this.#deps;
    const repository = await gitInRepository(tools, row);
    const commits = new Set([await commitOf(repository, `refs/heads/${row.branch}`)]);
    if (isThere(row)) {
      const git = await gitInWorktree(tools, row);
      const { tree, head, leftOut } = await treeOfWorktree(git, row.base);
      if (leftOut.length > 0 || (await git.text(['rev-parse', `${head}^{tree}`])) !== tree) return false;
      commits.add(head);
    }
    for (const commit of commits) {
      if (commit === undefined || commit === row.base) continue;
      const listing = ['for-each-ref', '--format=%(refname)', '--contains', commit];
      const holders = (await repository.text([...listing, 'refs/heads', 'refs/remotes'])).split('\n');
      if (!holders.some((ref) => ref !== '' && ref !== `refs/heads/${row.branch}`)) return false;
    }
    return true;
  }

  /** Removes the snapshot of a task that is deleted, and its row. */
  async #forget(row: WorktreeRow): Promise<void> {
    const { store, tools } = this.#deps;
    if (existsSync(row.repository))
      await (await gitInRepository(tools, row)).run(['update-ref', '-d', snapshotRef(row.task_id)]);
    await store.remove(row.task_id);
  }

  /** Its own task waits for this one. */
  async #tidyOthers(taskId: string): Promise<void> {
    for (const { task_id, state } of await this.#deps.store.list())
      // One that is being opened may wait for this one.
      if (task_id !== taskId && state !== 'discarded' && !this.#tasks.isBusy(task_id))
        await this.tidyOne(task_id);
  }
}

/** What keeps the worktree of a task from being used fails its run. */
async function orAgentFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict')
      throw new AgentFailure('invalid_input', 'no_worktree', error.message, { isFinal: true });
    if (error instanceof GitFailed) throw new AgentFailure('agent_error', 'git_failed', error.message);
    throw error;
  }
}

/** The tree without what agents keep for themselves. */
export async function shownTree(
  git: Parameters<typeof changesBetween>[0],
  { base }: Pick<WorktreeRow, 'base'>,
  { tree }: Pick<WorktreeTree, 'tree'>,
): Promise<string> {
  const changes = await changesBetween(git, base, tree);
  return withoutChanges(git, tree, changes.filter(isOfAgent));
}

async function workspaceIn({ path, subdirectory }: WorktreeRow): Promise<string> {
  const workspace = join(path, subdirectory);
  await mkdir(workspace, { recursive: true }).catch(() => undefined);
  const real = await realpath(workspace).catch(() => undefined);
  if (real === workspace && isInside(path, real)) return workspace;
  throw new AgentFailure('invalid_input', 'no_folder', `The commit has no directory ${subdirectory}`, {
    isFinal: true,
  });
}

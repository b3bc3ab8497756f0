import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Task } from '../../contract/task.ts';
import { type AgentAdapter, AgentFailure, type RunningEvent } from '../agents/agent-adapter.ts';
import { isInside } from '../paths/real-path.ts';
import type { Runtime } from '../runtime.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import { CommittedFiles } from './committed-files.ts';
import { copyIncluded } from './copy-included.ts';
import { addWorktree, baseOf, branchOf, directoryOf, isThere } from './create-worktree.ts';
import { type Checkout, findCheckout } from './find-repository.ts';
import type { GitTools } from './git-tools.ts';
import type { RepositoryGit } from './repository-git.ts';
import { runWorktreeCommands, type WorktreeCommandDeps } from './worktree-commands.ts';
import { readWorktreeFile } from './worktree-file.ts';
import type { NewWorktree, WorktreeStore } from './worktree-store.ts';

export interface WorktreeCreationDeps extends WorktreeCommandDeps {
  store: WorktreeStore;
  tools: GitTools;
  /** The directory that holds all worktrees. */
  root: string;
  /** The real path of the home directory of the person. */
  home: string;
  runtime: Pick<Runtime, 'now'>;
  /** Removes what can be removed, but not that of this task. */
  makeRoom: (taskId: string) => Promise<void>;
  /** Does the work while nothing else changes the repository in the name of svc. */
  inTurn: (row: Pick<WorktreeRow, 'repository'>, work: () => Promise<void>) => Promise<void>;
}

/** The task whose worktree is opened. */
export interface WorktreeOrder {
  task: Pick<Task, 'id' | 'cwd' | 'branch' | 'worktree'>;
  adapter: Pick<AgentAdapter, 'worksInWorktree'>;
  isTrusted: boolean;
  signal: AbortSignal;
  emit: (event: RunningEvent) => void;
}

/** A worktree that is to be created, with the checkout that it is made from. */
export interface BegunWorktree {
  row: WorktreeRow;
  /** Of the checkout. */
  git: RepositoryGit;
  /** Of its first commit. */
  files: CommittedFiles;
}

/** Creates the worktrees of tasks and sets them up. */
export class WorktreeCreation {
  readonly #deps: WorktreeCreationDeps;
  constructor(deps: WorktreeCreationDeps) {
    this.#deps = deps;
  }

  /** The row of a new worktree, with what it was made from; undefined where the task needs none. */
  async begin(order: WorktreeOrder): Promise<BegunWorktree | undefined> {
    const { store, root, runtime, makeRoom } = this.#deps;
    const { task } = order;
    const checkout = await this.#checkoutOf(order);
    if (!checkout) return undefined;
    const { git } = checkout;
    const base = await baseOf(checkout, task.branch);
    const files = await CommittedFiles.of(git, base, checkout.subdirectory);
    const { ports } = await readWorktreeFile(files);
    await mkdir(root, { recursive: true, mode: 0o700 });
    const reservation: NewWorktree = {
      task_id: task.id,
      repository: checkout.repository,
      checkout: checkout.root,
      path: join(directoryOf(await realpath(root), checkout), task.id),
      subdirectory: checkout.subdirectory,
      branch: branchOf(task.id),
      base,
      created_at: runtime.now().toISOString(),
    };
    const row = await store.reserve(reservation, ports).catch(async (error: unknown) => {
      if (!(error instanceof AgentFailure)) throw error;
      await makeRoom(task.id);
      return store.reserve(reservation, ports);
    });
    return { row, git, files };
  }

  /** The checkout of a worktree that is not ready yet, or that is gone. */
  async again(row: WorktreeRow): Promise<BegunWorktree> {
    const checkout = await findCheckout(this.#deps.tools, row.checkout);
    if (checkout?.repository !== row.repository)
      throw new AgentFailure(
        'invalid_input',
        'no_repository',
        `${row.checkout} is no Git repository any more`,
        { isFinal: true },
      );
    const { git } = checkout;
    return { row, git, files: await CommittedFiles.of(git, row.base, row.subdirectory) };
  }

  /** Creates what is not there of the worktree, copies files into it, and runs its setup. */
  async complete({ row, git, files }: BegunWorktree, order: WorktreeOrder): Promise<void> {
    const { store, inTurn } = this.#deps;
    const { isTrusted, signal, emit } = order;
    const { setup } = await readWorktreeFile(files);
    if (row.state !== 'created' || !isThere(row)) {
      await inTurn(row, () => addWorktree(git, row));
      const inclusion = { git, checkout: row.checkout, worktree: row.path, files };
      // The author of the text, or of the commit, must not choose among the files that only the person has.
      const skipped = isTrusted ? await copyIncluded(inclusion) : [];
      if (skipped.length > 0)
        emit({
          type: 'progress',
          message: `Not copied into the worktree: ${skipped.slice(0, 20).join(', ')}`,
        });
      // Without a setup it is ready at once.
      if (setup.length > 0) await store.setState(row.task_id, 'created');
    }
    signal.throwIfAborted();
    emit({
      type: 'progress',
      message: `Works in a Git worktree on the branch ${row.branch}`,
      data: { worktree: row.path, branch: row.branch, base: row.base },
    });
    await runWorktreeCommands(this.#deps, { row, kind: 'setup', commands: setup, isTrusted, signal });
    await store.setState(row.task_id, 'ready');
  }

  async #checkoutOf({ task, adapter }: WorktreeOrder): Promise<Checkout | undefined> {
    const { home, tools } = this.#deps;
    const isAsked = task.worktree === true;
    if (task.worktree === false || (!isAsked && adapter.worksInWorktree !== true)) return undefined;
    if (task.cwd !== undefined && existsSync(task.cwd)) {
      const checkout = await findCheckout(tools, task.cwd);
      // Nobody means a repository for the settings of the person unless it is asked for.
      if (checkout && (isAsked || !isInside(checkout.root, home))) return checkout;
    }
    if (!isAsked) return undefined;
    throw new AgentFailure(
      'invalid_input',
      'no_repository',
      `${task.cwd ?? 'The directory of the task'} is in no Git repository, so that the task cannot work in a worktree`,
      { isFinal: true },
    );
  }
}

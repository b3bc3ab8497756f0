import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { WorktreeOrphan } from '../../contract/data.ts';
import { messageOf } from '../errors.ts';
import { codeOf } from '../paths/file-errors.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import { branchOf, gitDirectoryOf, isThere } from './create-worktree.ts';
import type { GitTools } from './git-tools.ts';
import { removeWorktree } from './remove-worktree.ts';
import { gitInRepository } from './worktree-git.ts';
import type { WorktreeStore } from './worktree-store.ts';
import type { Worktrees } from './worktrees.ts';

export interface WorktreeOrphansDeps {
  worktrees: Pick<Worktrees, 'isClean' | 'remove' | 'inTurn'>;
  store: WorktreeStore;
  tools: GitTools;
  /** The directory that holds all worktrees. */
  root: string;
}

/** A half of a worktree; the row of one that has none says what can be read from the directory. */
interface Orphan {
  kind: WorktreeOrphan['kind'];
  taskId: string;
  path: string;
  row: WorktreeRow | undefined;
}

/** Finds directories of worktrees that no row names, and rows whose worktree is gone. */
export class WorktreeOrphans {
  readonly #deps: WorktreeOrphansDeps;
  constructor(deps: WorktreeOrphansDeps) {
    this.#deps = deps;
  }

  async list(): Promise<WorktreeOrphan[]> {
    const orphans = await this.#find();
    return Promise.all(
      orphans.map(async (orphan) => ({
        kind: orphan.kind,
        taskId: orphan.taskId,
        path: orphan.path,
        isClean: await this.#isClean(orphan),
      })),
    );
  }

  /** Removes those with which nothing is lost; returns what there was. */
  async removeClean(): Promise<{ removed: WorktreeOrphan[]; kept: WorktreeOrphan[] }> {
    const { worktrees, tools } = this.#deps;
    const removed: WorktreeOrphan[] = [];
    const kept: WorktreeOrphan[] = [];
    for (const orphan of await this.#find()) {
      const { kind, taskId, path, row } = orphan;
      const isClean = await this.#isClean(orphan);
      (isClean ? removed : kept).push({ kind, taskId, path, isClean });
      if (!isClean) continue;
      if (!row) await rmdir(path);
      else if (kind === 'row') await worktrees.remove(row, false);
      else await worktrees.inTurn(row, async () => removeWorktree(await gitInRepository(tools, row), row));
    }
    return { removed, kept };
  }

  async #find(): Promise<Orphan[]> {
    const { store, root } = this.#deps;
    const rows = (await store.list()).filter(({ state }) => state !== 'discarded');
    const known = new Set(rows.map(({ path }) => path));
    const orphans: Orphan[] = [];
    for (const row of rows)
      if (!isThere(row) && (await store.isIdle(row.task_id)).isIdle)
        orphans.push({ kind: 'row', taskId: row.task_id, path: row.path, row });
    const top = await realpath(root).catch(() => root);
    for (const name of await entriesOf(top))
      for (const taskId of await entriesOf(join(top, name))) {
        const path = join(top, name, taskId);
        if (!taskId.startsWith('task_') || known.has(path)) continue;
        orphans.push({ kind: 'directory', taskId, path, row: await rowOf(path) });
      }
    return orphans;
  }

  /** What cannot be read may hold work. */
  async #isClean({ path, row }: Orphan): Promise<boolean> {
    try {
      if (!row) return (await readdir(path)).length === 0;
      return existsSync(row.repository) && (await this.#deps.worktrees.isClean(row));
    } catch {
      return false;
    }
  }
}

/** What a directory says of its worktree; undefined where it is none that Git knows at this place. */
async function rowOf(path: string): Promise<WorktreeRow | undefined> {
  const [, named] =
    /^gitdir: (\/.+)\n$/.exec(await readFile(join(path, '.git'), 'utf8').catch(() => '')) ?? [];
  if (named === undefined || basename(dirname(named)) !== 'worktrees') return undefined;
  const task_id = basename(path);
  const repository = dirname(dirname(named));
  const row: WorktreeRow = {
    task_id,
    host: '',
    repository,
    checkout: dirname(repository),
    path,
    subdirectory: '',
    branch: branchOf(task_id),
    base: '',
    port_base: null,
    state: 'created',
    created_at: '',
  };
  // The agent can write the file, so that the repository has to name the worktree too.
  const back = await readFile(join(gitDirectoryOf(row), 'gitdir'), 'utf8').catch(messageOf);
  return named === gitDirectoryOf(row) && back === `${join(path, '.git')}\n` ? row : undefined;
}

async function entriesOf(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

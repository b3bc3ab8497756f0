import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { ChangeService } from '../../../src/core/changes/change-service.ts';
import { ChangeStore } from '../../../src/core/changes/change-store.ts';
import { KeptBlobs } from '../../../src/core/changes/kept-blobs.ts';
import { RunFileKeeper } from '../../../src/core/changes/run-file-keeper.ts';
import { type SnapshotLimits, WorkspaceSnapshots } from '../../../src/core/changes/workspace-snapshots.ts';
import { SecretFiles } from '../../../src/core/paths/secret-files.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { editFileTool } from '../../../src/core/tools/files/edit-file.ts';
import { writeFileTool } from '../../../src/core/tools/files/write-file.ts';
import { insertTasks, newTask, openStorage } from '../../helpers/storage.ts';
import { runTool } from '../tools/guarded-calls.ts';
import { plantTree } from '../tools/test-tree.ts';

export const owner = { userId: 'user_owner', role: 'user' } as const;

interface WorldOptions {
  env?: Record<string, string>;
  limits?: SnapshotLimits;
  home?: string;
}

/** A finished task whose run changes files of a workspace, and what shows and undoes that. */
export async function openKept({
  env = { PATH: process.env['PATH'] ?? '' },
  limits,
  home,
}: WorldOptions = {}) {
  const storage = await openStorage();
  const tree = await plantTree();
  const { database } = storage;
  const directory = join(tree.root, 'kept');
  const protectedDirectories = [join(tree.root, 'data')];
  const store = new ChangeStore(database);
  const blobs = new KeptBlobs(join(directory, 'contents'), systemRuntime);
  const warnings: string[] = [];
  const log = () => undefined;
  const shared = { database, store, blobs, protectedDirectories, runtime: systemRuntime, env };
  const snapshots = new WorkspaceSnapshots({
    ...shared,
    directory: join(directory, 'snapshots'),
    home: home ?? join(tree.root, 'home'),
    ...(limits && { bounds: limits }),
  });
  const keeperOf = (id = 'task_1', workspace = tree.workspace) =>
    new RunFileKeeper(
      {
        ...shared,
        snapshots,
        log: {
          debug: log,
          info: log,
          error: log,
          warn: (facts) => void warnings.push(JSON.stringify(facts)),
        },
      },
      { id, context: { workspace, taskId: id } },
    );
  await insertTasks(storage, [
    newTask('task_1', { status: 'completed', agent_type: 'builtin' }),
    newTask('task_2', { status: 'completed', agent_type: 'builtin' }),
    newTask('task_c', { status: 'completed', agent_type: 'command' }),
    newTask('task_r', { status: 'in_progress', agent_type: 'builtin' }),
  ]);
  const service = new ChangeService({
    worktreeChanges: {
      find: async () => undefined,
      describe: async () => ({ files: [], additions: 0, deletions: 0, truncated: false, notKept: [] }),
      source: async () => Promise.reject(new Error('There is no worktree')),
    },
    ...shared,
    audit: new AuditLog(systemRuntime, database.engine),
    secretFiles: new SecretFiles(),
    workspaces: join(tree.root, 'data/workspaces'),
  });
  return {
    tree,
    database,
    store,
    blobs,
    snapshots,
    service,
    warnings,
    keeperOf,
    write: (path: string, content: string, task = 'task_1') =>
      runTool(
        writeFileTool,
        { path, content },
        {
          workspace: tree.workspace,
          scope: { keeper: keeperOf(task) },
        },
      ),
    edit: (path: string, oldText: string, newText: string) =>
      runTool(
        editFileTool,
        { path, oldText, newText },
        {
          workspace: tree.workspace,
          scope: { keeper: keeperOf() },
        },
      ),
    /** Lets a command of the run do the work. */
    async command(work: () => Promise<unknown>, task = 'task_1') {
      const keep = await keeperOf(task).watchCommand();
      await work();
      await keep();
    },
    changes: (task = 'task_1') => service.ofTask(owner, task),
    undo: (task = 'task_1', dryRun = false) => service.undoTask(owner, task, { dryRun }),
    rows: () => database.read.selectFrom('file_changes').selectAll().orderBy('id').execute(),
    /** The hashes of all kept contents. */
    async kept() {
      const found = await readdir(join(directory, 'contents'), { recursive: true }).catch(() => []);
      return found.filter((name) => name.includes('/')).map((name) => name.slice(3));
    },
    git: (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: tree.workspace,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    async repository() {
      await mkdir(tree.workspace, { recursive: true });
      execFileSync('git', ['init', '-q', tree.workspace]);
    },
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
}

import type {
  ChangedFiles,
  Changes,
  FilePatch,
  FilePatchQuery,
  Unkept,
  UndoReport,
} from '../../contract/changes.ts';
import { SerialByKey } from '../async/serial-by-key.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, requireOwned } from '../auth/caller.ts';
import { currentRunOf } from '../chat/current-run.ts';
import { AppError } from '../errors.ts';
import type { SecretFiles } from '../paths/secret-files.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import type { FileChangeRow } from '../storage/rows/file-changes.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { ChangeSource } from './changed-files.ts';
import type { ChangeOwner, ChangeStore } from './change-store.ts';
import { changedTurn, lastTurn } from './changed-turns.ts';
import type { KeptBlobs } from './kept-blobs.ts';
import { type NetChange, netChanges } from './net-changes.ts';
import { unkept, unkeptOf } from './unkept-messages.ts';
import type { WorktreeChanges } from './worktree-changes.ts';

export interface ChangeServiceDeps {
  database: Database;
  store: ChangeStore;
  blobs: KeptBlobs;
  secretFiles: SecretFiles;
  protectedDirectories: readonly string[];
  /** Where the workspaces of tasks without a directory are. */
  workspaces: string;
  worktreeChanges: Pick<WorktreeChanges, 'find' | 'describe' | 'source'>;
  audit: AuditLog;
  runtime: Pick<Runtime, 'now'>;
}

/** What is shown or undone, and why parts of it may be missing. */
interface Selection {
  owner: ChangeOwner;
  rows: FileChangeRow[];
  notKept: Unkept[];
}

/** Shows and undoes the changes of files by tasks and turns of conversations. */
export class ChangeService {
  readonly #deps: ChangeServiceDeps;
  readonly #serial = new SerialByKey();
  constructor(deps: ChangeServiceDeps) {
    this.#deps = deps;
  }

  async ofTask(caller: Caller, id: string): Promise<Changes> {
    const selection = await this.#selectTask(caller, id);
    const worktree = await this.#deps.worktreeChanges.find(id);
    return worktree ? this.#deps.worktreeChanges.describe(worktree) : this.#describe(selection);
  }

  /** The changed files alone; each patch is read by itself. */
  async filesOfTask(caller: Caller, id: string): Promise<ChangedFiles> {
    const { source, worktree, notKept } = await this.#sourceOfTask(caller, id);
    const { listChangedFiles } = await import('./changed-files.ts');
    return { ...(await listChangedFiles(source)), ...(worktree && { worktree }), notKept };
  }

  /** A part of the patch of one file. */
  async patchOfTask(caller: Caller, id: string, query: FilePatchQuery): Promise<FilePatch> {
    const { source } = await this.#sourceOfTask(caller, id);
    const { readFilePatch } = await import('./changed-files.ts');
    return readFilePatch(source, query);
  }

  async #sourceOfTask(
    caller: Caller,
    id: string,
  ): Promise<{ source: ChangeSource; worktree?: Changes['worktree']; notKept: Unkept[] }> {
    const { rows, notKept } = await this.#selectTask(caller, id);
    const found = await this.#deps.worktreeChanges.find(id);
    if (found) {
      const { worktree, ...source } = await this.#deps.worktreeChanges.source(found);
      return { source, worktree, notKept: [] };
    }
    const { withoutUnwritten } = await import('./unwritten.ts');
    const changes = netChanges(await withoutUnwritten(rows));
    return { source: { deps: this.#deps, root: rootOf(rows), changes }, notKept };
  }

  /** Those of the last turn that was not undone, or of all. */
  async ofConversation(caller: Caller, id: string, turn: 'last' | 'all'): Promise<Changes> {
    await this.#requireConversation(caller, id);
    const rows = await this.#deps.store.list({ conversationId: id });
    const open = rows.filter(({ undone_at }) => undone_at === null);
    const chosen = turn === 'all' ? open : lastTurn(rows);
    return {
      ...(await this.#describe({
        owner: { conversationId: id },
        rows: chosen,
        notKept: unkeptOf(chosen.length > 0 ? chosen : rows),
      })),
      ...(turn === 'last' && (await this.#turnOf(id, chosen))),
    };
  }

  /** Restores the files of a finished task that still are as it left them. */
  async undoTask(caller: Caller, id: string, options: UndoOptions): Promise<UndoReport> {
    return this.#serial.enqueue(id, async () => {
      const selection = await this.#selectTask(caller, id, 'finished');
      if (await this.#deps.worktreeChanges.find(id))
        throw new AppError(
          'wrong_state',
          `The task worked in a worktree, so there is nothing to restore. To remove its changes: svc tasks discard ${id}`,
        );
      return this.#undo(caller, selection, options);
    });
  }

  /** Does the same with the last turn that was not undone. */
  async undoTurn(caller: Caller, id: string, options: UndoOptions): Promise<UndoReport> {
    return this.#serial.enqueue(id, async () => {
      await this.#requireConversation(caller, id);
      if (await currentRunOf(this.#deps.database, id))
        throw new AppError('wrong_state', 'A turn of the conversation is not finished. Stop it first.');
      const all = await this.#deps.store.list({ conversationId: id });
      const rows = lastTurn(all);
      const notKept = unkeptOf(rows.length > 0 ? rows : all);
      const selection = { owner: { conversationId: id }, rows, notKept };
      return {
        ...(await this.#undo(caller, selection, options)),
        ...(await this.#turnOf(id, rows)),
      };
    });
  }

  async #selectTask(caller: Caller, id: string, state?: 'finished'): Promise<Selection> {
    const { database, store } = this.#deps;
    const found = await database.read
      .selectFrom('tasks')
      .select(['owner_id', 'status', 'agent_type', 'assigned_agent'])
      .where('id', '=', id)
      .executeTakeFirst();
    const task = requireOwned(caller, found, 'Task');
    if (state && !isTerminal(task.status))
      throw new AppError(
        'wrong_state',
        `The task is ${task.status}. Wait for it, or cancel it first: svc tasks cancel ${id}`,
      );
    const rows = await store.list({ taskId: id });
    const agent = task.agent_type ?? task.assigned_agent ?? 'builtin';
    const notKept = agent === 'builtin' ? unkeptOf(rows) : [unkept('agent')];
    return { owner: { taskId: id }, rows, notKept };
  }

  async #requireConversation(caller: Caller, id: string): Promise<void> {
    const found = await this.#deps.database.read
      .selectFrom('conversations')
      .select('owner_id')
      .where('id', '=', id)
      .executeTakeFirst();
    requireOwned(caller, found, 'Conversation');
  }

  async #turnOf(conversationId: string, rows: readonly FileChangeRow[]) {
    const turn = await changedTurn(this.#deps.database, conversationId, rows);
    return turn && { turn };
  }

  async #describe({ rows, notKept }: Selection): Promise<Changes> {
    const [{ describeChanges }, { withoutUnwritten }] = await Promise.all([
      import('./describe-changes.ts'),
      import('./unwritten.ts'),
    ]);
    const changes = netChanges(await withoutUnwritten(rows));
    return { ...(await describeChanges(this.#deps, rootOf(rows), changes)), notKept };
  }

  async #undo(
    caller: Caller,
    { owner, rows, notKept }: Selection,
    { dryRun, address }: UndoOptions,
  ): Promise<UndoReport> {
    const [{ removeMadeDirectories, restoreFile }, { shownPath }, { withoutUnwritten }] = await Promise.all([
      import('./restore-file.ts'),
      import('./describe-change.ts'),
      import('./unwritten.ts'),
    ]);
    const { blobs, protectedDirectories, workspaces } = this.#deps;
    const open = rows.filter(({ undone_at }) => undone_at === null);
    const root = rootOf(rows);
    const report: UndoReport = { dryRun, restored: [], notRestored: [], notKept };
    const restored: NetChange[] = [];
    const deps = { read: (sha256: string) => blobs.read(sha256), protectedDirectories, workspaces };
    for (const change of netChanges(await withoutUnwritten(open))) {
      const outcome = await restoreFile(deps, change, dryRun);
      const path = shownPath(root, change.path);
      if ('reason' in outcome) report.notRestored.push({ path, ...outcome });
      else {
        report.restored.push({ path, action: outcome.action });
        restored.push(change);
      }
    }
    if (rows.length > 0) report.directory = root;
    if (dryRun || report.restored.length + report.notRestored.length === 0) return report;
    await removeMadeDirectories(restored);
    await this.#record(caller, owner, report, { restored, address });
    return report;
  }

  async #record(
    caller: Caller,
    owner: ChangeOwner,
    { restored, notRestored }: UndoReport,
    done: { restored: readonly NetChange[]; address: string | undefined },
  ): Promise<void> {
    const { database, store, audit, runtime } = this.#deps;
    const ids = done.restored.flatMap(({ rows }) => rows.map(({ id }) => id));
    await database.write(async (transaction) => {
      await store.setUndone(transaction.db, ids, runtime.now().toISOString());
      await audit.append(transaction, {
        kind: 'security',
        tool: 'taskId' in owner ? 'tasks.undone' : 'conversations.undone',
        userId: caller.userId,
        ...owner,
        address: done.address,
        arguments: { restored: restored.length, notRestored: notRestored.length },
        result: notRestored.length === 0 ? 'ok' : 'partial',
      });
    });
  }
}

export interface UndoOptions {
  dryRun: boolean;
  address?: string | undefined;
}

const rootOf = (rows: readonly FileChangeRow[]): string => rows.at(-1)?.root ?? '/';

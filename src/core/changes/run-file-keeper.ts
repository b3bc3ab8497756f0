import type { UnkeptReason } from '../../contract/changes.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { projectRootOf } from '../paths/project-root.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import type { FileKeeper, FileReplacement, KeptRun } from '../tools/file-keeper.ts';
import type { ChangeOwner, ChangeStore, NewChange } from './change-store.ts';
import { type FileState, keptMode, MAX_KEPT_BYTES } from './file-state.ts';
import type { KeptBlobs } from './kept-blobs.ts';
import { observedChanges } from './observed-changes.ts';
import { NoSnapshot, type Snapshot, snapshotLimits, type WorkspaceSnapshots } from './workspace-snapshots.ts';

export interface FileKeeperDeps {
  database: Database;
  store: ChangeStore;
  blobs: KeptBlobs;
  snapshots: WorkspaceSnapshots;
  runtime: Pick<Runtime, 'now'>;
  log: Log;
}

/** Keeps the files that the calls of one run change. */
export class RunFileKeeper implements FileKeeper {
  readonly #deps: FileKeeperDeps;
  readonly #run: KeptRun;
  constructor(deps: FileKeeperDeps, run: KeptRun) {
    this.#deps = deps;
    this.#run = run;
  }

  async keepFile({ path, existing, content, mode, madeDirectory }: FileReplacement) {
    const { database, store, blobs } = this.#deps;
    const base = await this.#newRow();
    const id = await blobs.storing(async (put) => {
      const before = existing && (await keepExisting(existing, put));
      const after = content.length <= MAX_KEPT_BYTES ? await put(content) : null;
      return database.write(({ db }) =>
        store.insert(db, {
          ...base,
          path,
          ...columnsOf(before, { hash: after, mode }),
          made_directory: madeDirectory ?? null,
          is_done: 0,
        }),
      );
    });
    return (isReplaced: boolean) =>
      database.write(({ db }) => (isReplaced ? store.setDone(db, id) : store.remove(db, [id])));
  }

  async watchCommand(): Promise<() => Promise<void>> {
    const { database, store, snapshots } = this.#deps;
    const base = await this.#newRow();
    let before: Snapshot;
    try {
      before = await snapshots.take(this.#run.context.workspace);
    } catch (error) {
      await this.#noteFailure(error);
      return async () => undefined;
    }
    const watched = snapshots.watch(before);
    // If the daemon dies meanwhile, this row says that the changes of the command are missing.
    const open = await database.write(({ db }) => store.insert(db, { ...base, unkept: 'interrupted' }));
    return async () => {
      try {
        await this.#keepObserved(before, base, open);
      } catch (error) {
        await this.#noteFailure(error, open);
      } finally {
        watched[Symbol.dispose]();
      }
    };
  }

  noteUnkept(reason: UnkeptReason): Promise<void> {
    return this.#note(reason);
  }

  async #keepObserved(before: Snapshot, base: NewChange, open: number): Promise<void> {
    const { database, store, blobs, snapshots } = this.#deps;
    const after = await snapshots.take(before.workspace);
    if (after.root !== before.root) throw new NoSnapshot('failed');
    await blobs.storing(async (put) => {
      const signal = AbortSignal.timeout(snapshotLimits.ms);
      const changes = await observedChanges(before, after, put, signal);
      await database.write(async ({ db }) => {
        await store.remove(db, [open]);
        for (const { path, before: old, after: present, madeDirectory } of changes)
          await store.insert(db, {
            ...base,
            path,
            ...columnsOf(old, present),
            made_directory: madeDirectory ?? null,
          });
      });
    });
  }

  async #noteFailure(error: unknown, open?: number): Promise<void> {
    const reason = error instanceof NoSnapshot ? error.reason : 'failed';
    if (reason === 'failed')
      this.#deps.log.warn(
        { run: this.#run.id, reason: messageOf(error instanceof NoSnapshot ? error.cause : error) },
        'the changes of a command could not be kept',
      );
    await this.#note(reason, open);
  }

  /** Once per run; replaces the row that was open. */
  async #note(reason: UnkeptReason, open?: number): Promise<void> {
    const { database, store } = this.#deps;
    const base = await this.#newRow();
    await database.write(async ({ db }) => {
      if (open !== undefined) await store.remove(db, [open]);
      if (await store.hasUnkept(db, base.run_id, ownerOf(base), reason)) return;
      await store.insert(db, { ...base, unkept: reason });
    });
  }

  async #newRow(): Promise<NewChange> {
    const { id, context } = this.#run;
    return {
      run_id: id,
      task_id: context.taskId ?? null,
      conversation_id: context.conversationId ?? null,
      root: await projectRootOf(context.workspace),
      path: null,
      ...columnsOf(undefined, undefined),
      made_directory: null,
      unkept: null,
      is_done: 1,
      created_at: this.#deps.runtime.now().toISOString(),
    };
  }
}

async function keepExisting(
  file: NonNullable<FileReplacement['existing']>,
  put: (content: Uint8Array) => Promise<string>,
): Promise<FileState> {
  const found = await file.stat({ bigint: true });
  const mode = keptMode(found);
  if (found.size > BigInt(MAX_KEPT_BYTES)) return { hash: null, mode };
  return { hash: await put(await file.readFile()), mode };
}

const ownerOf = ({ task_id: taskId, conversation_id: conversationId }: NewChange): ChangeOwner =>
  taskId === null ? { conversationId: conversationId ?? '' } : { taskId };

const columnsOf = (before: FileState | undefined, after: FileState | undefined) => ({
  before_hash: before?.hash ?? null,
  before_mode: before?.mode ?? null,
  after_hash: after?.hash ?? null,
  after_mode: after?.mode ?? null,
});

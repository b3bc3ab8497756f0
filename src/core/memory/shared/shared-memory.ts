import type { SharedRoot } from '../../../contract/memory.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { MemoryStreamRow } from '../../storage/rows/shared-memory.ts';
import type { UnpublishedFile } from '../index/index-calls.ts';
import type { IndexClient } from '../index/index-client.ts';
import { isInside } from '../../paths/real-path.ts';
import type { RootKeeper } from './root-keeper.ts';
import type { PublishedFiles, SharedFiles } from './shared-files.ts';

/** How often what others did is looked for: their hints can be lost. */
const LOOK_EVERY_MS = 5000;
/** Changes that are published at a time. */
const PAGE = 100;
/** Ids of chunks come in blocks, of which there are 16,384: an id takes 31 bits. */
const BLOCK = 2 ** 17;
const MAX_BLOCKS = 2 ** 31 / BLOCK;
/** With fewer ids the next block is taken. */
const FEW_IDS = BLOCK / 2;

export interface SharedMemoryDeps {
  files: SharedFiles;
  keeper: RootKeeper;
  daemonId: string;
  host: string;
  index: Pick<IndexClient, 'call' | 'isRunning'>;
  bus: EventBus;
  /** Takes over which experiences others have added and removed. */
  pullExperiences: (isIndexRunning: boolean) => Promise<void>;
  /** Called with folders that this daemon reads from now on, once their files in the index are those of the cluster. */
  onTaken: (roots: string[]) => void;
  log: Log;
  reportBug: (error: unknown) => void;
}

/**
 * Keeps the index of this daemon equal to those of the others. Each folder is read by one daemon, which stores its files in
 * the database; the others take them over from there on a hint, or a few seconds later.
 */
export class SharedMemory {
  readonly #deps: SharedMemoryDeps;
  #roots: ReadonlyMap<string, MemoryStreamRow> = new Map();
  /** The folders that some daemon reads. */
  #held: ReadonlySet<string> = new Set();
  /** The round that is running, and the one after it. */
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** Up to which number the index has the changes of each root; undefined while it has to be asked. */
  #revs: Map<string, number> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void)[] = [];
  #isStopped = false;
  #hasFailed = false;

  constructor(deps: SharedMemoryDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { bus } = this.#deps;
    this.#timer = setInterval(() => this.hint(), LOOK_EVERY_MS).unref();
    this.#unsubscribe = [bus.onRemote('memory_changed', () => this.hint()), bus.onGap(() => this.hint())];
    this.#roots = await this.#deps.files.roots();
    this.hint();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#next?.catch(() => undefined);
    await this.#current?.catch(() => undefined);
    await this.#deps.keeper.stop();
  }

  /** Whether no daemon has indexed a folder, as far as is known. */
  get isEmpty(): boolean {
    return this.#roots.size === 0;
  }

  /** Whether this daemon reads the files of a path. */
  reads(path: string): boolean {
    return this.#deps.keeper.rootOf(path) !== undefined;
  }

  /** Whether no daemon reads a folder, whose files may have changed since. */
  get hasUnread(): boolean {
    return this.elsewhere().some((root) => !this.#held.has(root));
  }

  /** The folders that other daemons read, or have read. */
  elsewhere(): string[] {
    return [...this.#roots.keys()].filter((root) => !this.#deps.keeper.keeps(root));
  }

  states(): SharedRoot[] {
    const { keeper: own, host: ownHost, daemonId } = this.#deps;
    return [...this.#roots].map(([path, { host, keeper }]) =>
      own.keeps(path)
        ? { path, host: ownHost, daemon: daemonId, online: true }
        : { path, host: host ?? '', daemon: keeper ?? '', online: this.#held.has(path) },
    );
  }

  /** When a folder was synced last, by any daemon. */
  get lastSyncAt(): string | null {
    const times = [...this.#roots.values()].flatMap(({ synced_at }) => synced_at ?? []);
    return times.toSorted().at(-1) ?? null;
  }

  /** The folder that another daemon reads now and that a path belongs to. */
  async rootElsewhere(path: string): Promise<string | undefined> {
    await this.look();
    return this.elsewhere().find((root) => this.#held.has(root) && isInside(root, path));
  }

  /** Asks the daemon that reads a folder to sync it; answers its machine. */
  askToSync(root: string): string {
    this.#deps.bus.emit('memory_sync_wanted', { root });
    return this.#roots.get(root)?.host ?? '';
  }

  /** Takes folders for this daemon unless another one reads them, and brings the index up to date. */
  async take(roots: readonly string[]): Promise<void> {
    for (const root of roots) await this.#deps.keeper.take(root);
    await this.look();
  }

  /** Gives what a sync has found to the others. */
  async publishSync(directories: readonly string[]): Promise<void> {
    await this.look();
    const { files, keeper, daemonId } = this.#deps;
    for (const root of new Set(directories.flatMap((directory) => keeper.rootOf(directory) ?? [])))
      await files.markSynced(root, daemonId);
  }

  /** Removes all files on all daemons; those of this one are gone already. */
  async clear(): Promise<void> {
    await this.#deps.files.clear();
    this.#changed();
    await this.look();
  }

  /** An index that was restarted is asked what it has. */
  reset(): void {
    this.#revs = undefined;
  }

  /** Looks soon what others did; never rejects. */
  hint(): void {
    if (this.#isStopped) return;
    this.look().then(
      () => (this.#hasFailed = false),
      (error: unknown) => this.#fail(error),
    );
  }

  /** Says once why, however often it is tried again. */
  #fail(error: unknown): void {
    if (this.#isStopped) return;
    if (!(error instanceof AppError)) return this.#deps.reportBug(error);
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#deps.log.warn(
      { reason: messageOf(error) },
      'the memory could not be compared with that of the other daemons; it is tried again',
    );
  }

  /** Resolves when the index has what was in the database at the call, and the database what was in the index. */
  look(): Promise<void> {
    this.#next ??= (this.#current ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.#current = this.#next;
        this.#next = undefined;
        return this.#round();
      })
      .finally(() => (this.#current = undefined));
    return this.#next;
  }

  async #round(): Promise<void> {
    const { files, keeper, index, pullExperiences, onTaken } = this.#deps;
    this.#roots = await files.roots();
    const { taken, dropped, held } = await keeper.look(this.#roots);
    if (taken.length + dropped.length > 0) this.#roots = await files.roots();
    this.#held = held;
    if (this.#roots.size > 0 || index.isRunning) {
      await this.#pull();
      await this.#publish();
    }
    await pullExperiences(index.isRunning);
    if (taken.length > 0) onTaken(taken);
  }

  async #pull(): Promise<void> {
    const revs = await this.#knownRevs();
    for (const [root, row] of this.#roots)
      if (revs.get(root) !== row.rev) await this.#pullRoot(root, row, revs);
    for (const root of revs.keys()) {
      if (this.#roots.has(root)) continue;
      await this.#deps.index.call('dropRoot', { root, isKept: false });
      revs.delete(root);
    }
  }

  async #pullRoot(
    root: string,
    { rev: last, floor }: MemoryStreamRow,
    revs: Map<string, number>,
  ): Promise<void> {
    const { index, files } = this.#deps;
    const isKept = this.#deps.keeper.keeps(root);
    let from = revs.get(root) ?? 0;
    if (from < floor) {
      // Removals after that number are not remembered.
      await index.call('dropRoot', { root, rev: 0, isKept });
      from = 0;
    }
    for (let isLast = false; !isLast && !this.#isStopped;) {
      const page = await files.after(root, from);
      ({ isLast } = page);
      from = page.files.at(-1)?.rev ?? from;
      const rev = isLast ? Math.max(from, last) : from;
      await index.call('applyFiles', { root, files: page.files, rev, isKept });
      revs.set(root, rev);
    }
  }

  async #publish(): Promise<void> {
    const { index } = this.#deps;
    let hasChanged = false;
    for (let isLast = false; !isLast && !this.#isStopped;) {
      const { files, idsLeft } = await index.call('unpublished', PAGE);
      isLast = files.length === 0;
      await this.#provideIds(idsLeft);
      for (const [root, changes] of byRoot(files, (file) => this.#rootOf(file))) {
        const published = await this.#publishTo(root, changes);
        await index.call('published', { root, ...published });
        const revs = await this.#knownRevs();
        if ((revs.get(root) ?? 0) === published.before) revs.set(root, published.rev);
        hasChanged = true;
      }
    }
    if (hasChanged) this.#changed();
  }

  async #publishTo(root: string, changes: readonly UnpublishedFile[]): Promise<PublishedFiles> {
    const { files, daemonId } = this.#deps;
    const gone = {
      before: -1,
      rev: -1,
      files: changes.map(({ path, version }) => ({ path, version })),
    };
    if (this.#deps.keeper.keeps(root)) return (await files.publish(root, daemonId, changes)) ?? gone;
    const removals = changes.filter(({ isByUser }) => isByUser);
    const published = removals.length > 0 ? await files.publishRemovals(root, removals) : undefined;
    if (published && removals.length === changes.length) return published;
    // The lease was lost during a sync: the index takes what the others have, all of it.
    await this.#deps.index.call('dropRoot', { root, rev: 0, isKept: false });
    (await this.#knownRevs()).set(root, 0);
    return gone;
  }

  /** The folder that a file belongs to: one that this daemon reads, else the one that it came from. */
  #rootOf({ path, shared }: UnpublishedFile): string {
    return this.#deps.keeper.rootOf(path) ?? shared?.root ?? '';
  }

  async #knownRevs(): Promise<Map<string, number>> {
    if (this.#revs) return this.#revs;
    const { revs, idsLeft } = await this.#deps.index.call('sharedState');
    await this.#provideIds(idsLeft);
    return (this.#revs = new Map(Object.entries(revs)));
  }

  /** Only a daemon that reads files needs ids. */
  async #provideIds(idsLeft: number): Promise<void> {
    if (idsLeft >= FEW_IDS || ![...this.#roots.keys()].some((root) => this.#deps.keeper.keeps(root))) return;
    const block = await this.#deps.files.takeIdBlock();
    if (block >= MAX_BLOCKS)
      throw new AppError('unavailable', 'The memory of this cluster has no more ids for chunks');
    await this.#deps.index.call('addChunkIds', { from: block * BLOCK, to: (block + 1) * BLOCK });
  }

  #changed(): void {
    this.#deps.bus.emit('memory_changed', undefined);
  }
}

function byRoot(
  files: readonly UnpublishedFile[],
  rootOf: (file: UnpublishedFile) => string,
): Map<string, UnpublishedFile[]> {
  const found = new Map<string, UnpublishedFile[]>();
  for (const file of files) {
    const root = rootOf(file);
    found.set(root, [...(found.get(root) ?? []), file]);
  }
  return found;
}

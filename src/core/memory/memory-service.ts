import type {
  Chunk,
  Explanation,
  MemoryStats,
  SearchMemory,
  SearchMethod,
  SearchResult,
  SyncProgress,
  SyncResult,
  WatcherStatus,
} from '../../contract/memory.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import { keywordFallback, type Embedder } from './embeddings/embedder.ts';
import type { VectorBackfill } from './embeddings/vector-backfill.ts';
import type { IndexEntry, IndexQuery } from './index/index-calls.ts';
import type { IndexClient } from './index/index-client.ts';
import type { MemoryRoots } from './memory-roots.ts';
import type { SharedMemory } from './shared/shared-memory.ts';
import { isInside } from '../paths/real-path.ts';
import { escapeInvisible } from '../text/escape-invisible.ts';

export interface MemoryServiceDeps {
  index: IndexClient;
  roots: MemoryRoots;
  embedder: Embedder;
  backfill: VectorBackfill;
  /** What other daemons have indexed too. */
  shared?: SharedMemory | undefined;
  monotonic: () => number;
  /** Whether this mode watches directories at all. */
  canWatch: boolean;
  isWatchEnabled: () => boolean;
  /** Applies the current watch settings. */
  applyWatchSettings: () => Promise<void>;
  onProgress: (progress: SyncProgress) => void;
}

type SyncCounts = Omit<SyncResult, 'durationMs'>;

/** Searches and maintains the file index that all users share. */
export class MemoryService {
  readonly #deps: MemoryServiceDeps;
  /** Syncs that are waiting for vectors. */
  readonly #embedding = new Map<AbortController, SyncProgress>();
  constructor(deps: MemoryServiceDeps) {
    this.#deps = deps;
  }

  /** True when nothing was ever indexed; answered without starting the index. */
  get isEmpty(): boolean {
    const { roots, shared } = this.#deps;
    return roots.configured.length === 0 && (shared?.isEmpty ?? true);
  }

  async search(input: SearchMemory): Promise<SearchResult> {
    const { query, reason } = await this.#toQuery(input);
    const found = await this.#deps.index.call('search', query);
    const stale = found.stale || (this.#deps.shared?.hasUnread ?? false);
    return { query: input.query, ...found, stale, ...this.#reasonOf(reason, query, found.method) };
  }

  async explain(input: SearchMemory): Promise<Explanation> {
    const { query, reason } = await this.#toQuery(input);
    const found = await this.#deps.index.call('explain', query);
    return { query: input.query, ...found, ...this.#reasonOf(reason, query, found.method) };
  }

  /** Syncs one directory, or all roots. A directory given by an administrator becomes a root. */
  async sync(caller: Caller, basePath: string | undefined): Promise<SyncResult> {
    const { monotonic, applyWatchSettings } = this.#deps;
    const start = monotonic();
    const { directories, errors } = await this.#toSync(caller, basePath);
    // Watches first, so that changes during the sync are seen. A failure is reported by the second call below.
    applyWatchSettings().catch(() => undefined);
    const done = withErrors(await this.#syncDirectories(directories), errors);
    await applyWatchSettings();
    const backfilled = done.cancelled ? {} : await this.#backfill(directories.join(', '));
    return { ...done, ...backfilled, durationMs: monotonic() - start };
  }

  /** Syncs the roots that this daemon reads from now on, or that a person wants synced on another one. */
  async syncOwn(wanted: readonly string[]): Promise<void> {
    const { applyWatchSettings, shared } = this.#deps;
    await this.#syncDirectories(wanted.filter((root) => shared?.reads(root)));
    await applyWatchSettings();
  }

  /** Rebuilds the content of an index that had to be recreated. */
  async restore(): Promise<void> {
    const { index, roots, shared } = this.#deps;
    await shared?.look();
    const { directories } = shared
      ? { directories: roots.outermost().filter((root) => shared.reads(root)) }
      : this.isEmpty
        ? { directories: [] }
        : await roots.resolveAll();
    const { cancelled } = await this.#syncDirectories(directories);
    if (!cancelled) await index.call('restored');
  }

  async cancelSync(): Promise<void> {
    const { index } = this.#deps;
    const wasEmbedding = this.#embedding.size > 0;
    for (const stopping of this.#embedding.keys()) stopping.abort();
    const wasRunning = index.isRunning && (await index.call('cancelSync'));
    if (!wasRunning && !wasEmbedding) throw new AppError('wrong_state', 'No sync is running');
  }

  async stats(): Promise<MemoryStats> {
    const { index, embedder, backfill: fill, roots, shared } = this.#deps;
    const model = embedder.choice()?.name;
    const [waiting] = this.#embedding.values();
    const { embeddedCount, syncing = waiting, ...counts } = await index.call('stats', model);
    return {
      ...counts,
      method: model !== undefined && embeddedCount > 0 ? 'hybrid' : 'keyword',
      ...(model !== undefined && { embeddingModel: model, embeddedCount }),
      ...(fill.failure !== undefined && { embeddingFailure: fill.failure }),
      roots: shared
        ? [...new Set([...roots.configured, ...shared.elsewhere()])].toSorted()
        : roots.configured,
      ...(shared && {
        sharedRoots: shared.states(),
        lastSyncAt: latest(counts.lastSyncAt, shared.lastSyncAt),
      }),
      ...(syncing && { syncing }),
    };
  }

  async files(page: { limit: number; offset: number }) {
    return { ...(await this.#deps.index.call('files', page)), ...page };
  }

  async chunks(path: string): Promise<Chunk[]> {
    const chunks = await this.#deps.index.call('chunksOf', path);
    if (!chunks) throw new AppError('not_found', 'File not found in the index');
    return chunks;
  }

  async removeChunk(id: string): Promise<void> {
    if (!(await this.#deps.index.call('removeChunk', id))) throw new AppError('not_found', 'Chunk not found');
    await this.#deps.shared?.look();
  }

  async removeFile(path: string): Promise<void> {
    if (!(await this.#deps.index.call('removeFile', path)))
      throw new AppError('not_found', 'File not found in the index');
    await this.#deps.shared?.look();
  }

  async clear(): Promise<void> {
    await this.#deps.index.call('clear');
    await this.#deps.shared?.clear();
  }

  async warm(query: string | undefined) {
    const { index, embedder, monotonic } = this.#deps;
    const start = monotonic();
    await index.call('warm', embedder.choice()?.name);
    if (query !== undefined) await embedder.embedQuery(query);
    const { fileCount, chunkCount, method } = await this.stats();
    return { fileCount, chunkCount, method, durationMs: monotonic() - start };
  }

  async watcher(): Promise<WatcherStatus> {
    const { index, canWatch, isWatchEnabled, shared, roots } = this.#deps;
    if (!canWatch) throw new AppError('unsupported', 'Folders are not watched in pico mode');
    const [{ watching, reason, ...state }, { lastSyncAt }] = await Promise.all([
      index.call('watchStatus'),
      index.call('stats', undefined),
    ]);
    const enabled = isWatchEnabled();
    const isElsewhere = shared !== undefined && !shared.isEmpty && roots.rules().roots.length === 0;
    const ofThis = isElsewhere ? 'Other daemons watch the folders' : reason;
    const why = enabled ? ofThis : 'The setting memory.watch is off';
    return { enabled, ...(why !== undefined && { reason: why }), state: { ...state, lastSyncAt, watching } };
  }

  /** Searchable entries other than files, by key. */
  readonly entries = {
    put: (entries: IndexEntry[]): Promise<void> => this.#deps.index.call('putEntries', entries),
    remove: (keys: string[]): Promise<void> => this.#deps.index.call('removeEntries', keys),
    search: async (
      ownerId: string | undefined,
      text: string,
      limit: number,
      method?: SearchMethod,
    ): Promise<{ method: SearchMethod; found: { key: string; score: number }[] }> => {
      const { vector } = await this.#embedded(text, method);
      return this.#deps.index.call('searchEntries', { ownerId, text, vector, limit });
    },
  };

  /** What a sync has to walk; what other daemons read is asked of them. */
  async #toSync(caller: Caller, basePath: string | undefined) {
    const { roots, shared } = this.#deps;
    const elsewhere = basePath === undefined ? undefined : await shared?.rootElsewhere(basePath);
    if (elsewhere !== undefined) return { directories: [], errors: [this.#askToSync(elsewhere)] };
    const found =
      basePath === undefined
        ? await roots.resolveAll()
        : { directories: [await roots.authorize(caller, basePath)], errors: [] };
    if (!shared) return found;
    await shared.take(
      roots.outermost().filter((root) => found.directories.some((directory) => isInside(root, directory))),
    );
    const others =
      basePath === undefined
        ? shared.elsewhere()
        : found.directories.filter((directory) => !shared.reads(directory));
    return {
      directories: found.directories.filter((directory) => shared.reads(directory)),
      errors: [...found.errors, ...others.map((root) => this.#askToSync(root))],
    };
  }

  /** Says who syncs a root instead of this daemon. */
  #askToSync(root: string): string {
    const host = this.#deps.shared?.askToSync(root) ?? '';
    return `${escapeInvisible(root)} is synced by a daemon on ${escapeInvisible(host)}`;
  }

  async #syncDirectories(directories: string[]): Promise<SyncCounts> {
    const { index, roots, shared } = this.#deps;
    const results: SyncCounts[] = [];
    for (const basePath of directories) {
      const result = await index.call('syncDirectory', { basePath, ...roots.rules() });
      results.push(result);
      if (result.cancelled) break;
    }
    await shared?.publishSync(directories);
    return sum(results);
  }

  /** Waits until the synced texts have vectors, as long as the provider works. */
  async #backfill(basePath: string): Promise<{ cancelled?: true; embeddingFailure?: string }> {
    const { backfill: fill, embedder, onProgress } = this.#deps;
    if (!embedder.choice()) return {};
    const stopping = new AbortController();
    const report = (done: number, total: number) => {
      const progress: SyncProgress = { basePath, phase: 'embedding', done, total };
      this.#embedding.set(stopping, progress);
      onProgress(progress);
    };
    report(0, 0);
    try {
      await fill.waitUntilComplete(report, stopping.signal);
    } finally {
      const progress = this.#embedding.get(stopping);
      this.#embedding.delete(stopping);
      if (progress) onProgress({ ...progress, phase: 'done' });
    }
    return {
      ...(stopping.signal.aborted && { cancelled: true }),
      ...(fill.failure !== undefined && { embeddingFailure: fill.failure }),
    };
  }

  async #toQuery(input: SearchMemory): Promise<{ query: IndexQuery; reason: string | undefined }> {
    const { query: text, maxResults, minScore, method, under } = input;
    const { vector, reason } = await this.#embedded(text, method);
    const sync = this.#deps.roots.rules();
    return { query: { text, vector, method, maxResults, minScore, under, sync }, reason };
  }

  /** Why the search fell back to keywords although the query may have a vector. */
  #reasonOf(reason: string | undefined, { vector }: IndexQuery, method: SearchMethod): { reason?: string } {
    if (reason !== undefined) return { reason };
    if (!vector || method !== 'keyword') return {};
    const { backfill: fill } = this.#deps;
    fill.reportMismatch();
    return { reason: keywordFallback(fill.failure ?? `no text has a vector of ${vector.model} yet`) };
  }

  async #embedded(text: string, method: SearchMethod | undefined) {
    const embedded = method === 'keyword' ? undefined : await this.#deps.embedder.embedQuery(text);
    if (embedded && 'vector' in embedded) return { vector: embedded.vector, reason: undefined };
    const missing =
      method === 'vector' || method === 'hybrid'
        ? 'No embedding provider is set: svc config set memory.embedding.provider openai'
        : undefined;
    return { vector: undefined, reason: embedded?.reason ?? missing };
  }
}

/** The later of two times, if there are any. */
const latest = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one;

/** Counts directories that could not be synced as skipped. */
function withErrors(counts: SyncCounts, errors: string[]): SyncCounts {
  const reasons = { ...counts.reasons, ...Object.fromEntries(errors.map((error) => [error, 1])) };
  return { ...counts, skipped: counts.skipped + errors.length, reasons };
}

function sum(results: SyncCounts[]): SyncCounts {
  const total = { synced: 0, added: 0, updated: 0, removed: 0, skipped: 0 };
  const reasons: Record<string, number> = {};
  for (const result of results) {
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += result[key];
    for (const [reason, n] of Object.entries(result.reasons)) reasons[reason] = (reasons[reason] ?? 0) + n;
  }
  return { ...total, cancelled: results.some(({ cancelled }) => cancelled), reasons };
}

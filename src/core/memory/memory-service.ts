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
import { byKeywords, type Embedder } from './embeddings/embedder.ts';
import type { VectorFill } from './embeddings/vector-backfill.ts';
import type { IndexEntry, IndexQuery } from './index/index-calls.ts';
import type { IndexClient } from './index/index-client.ts';
import type { MemoryRoots } from './memory-roots.ts';

export interface MemoryServiceDeps {
  index: IndexClient;
  roots: MemoryRoots;
  embedder: Embedder;
  backfill: VectorFill;
  monotonic: () => number;
  /** Whether folders are watched in this mode at all. */
  canWatch: boolean;
  mayWatch: () => boolean;
  /** Watches what the settings say now. */
  rewatch: () => Promise<void>;
  onProgress: (progress: SyncProgress) => void;
}

type SyncCounts = Omit<SyncResult, 'durationMs'>;

/** The index of files, which everybody shares who may sign in. */
export class MemoryService {
  readonly #deps: MemoryServiceDeps;
  /** Syncs that wait for their vectors. */
  readonly #embedding = new Map<AbortController, SyncProgress>();
  constructor(deps: MemoryServiceDeps) {
    this.#deps = deps;
  }

  /** True when nothing can be found because nothing was ever indexed; costs nothing. */
  get isEmpty(): boolean {
    return this.#deps.roots.configured.length === 0;
  }

  async search(wish: SearchMemory): Promise<SearchResult> {
    const { query, reason } = await this.#toQuery(wish);
    const found = await this.#deps.index.call('search', query);
    return { query: wish.query, ...found, ...this.#reasonOf(reason, query, found.method) };
  }

  async explain(wish: SearchMemory): Promise<Explanation> {
    const { query, reason } = await this.#toQuery(wish);
    const found = await this.#deps.index.call('explain', query);
    return { query: wish.query, ...found, ...this.#reasonOf(reason, query, found.method) };
  }

  /** Syncs one folder, or all that are allowed; an administrator's becomes one of them. */
  async sync(caller: Caller, basePath: string | undefined): Promise<SyncResult> {
    const { roots, monotonic, rewatch } = this.#deps;
    const start = monotonic();
    const { folders, faults } =
      basePath === undefined
        ? await roots.resolveAll()
        : { folders: [await roots.authorize(caller, basePath)], faults: [] };
    // What changes behind the sync is seen; a failure is told by the one at the end.
    rewatch().catch(() => undefined);
    const done = withFaults(await this.#syncFolders(folders), faults);
    await rewatch();
    const filled = done.cancelled ? {} : await this.#fill(folders.join(', '));
    return { ...done, ...filled, durationMs: monotonic() - start };
  }

  /** Has everything in the index again that was lost with one that had to be made anew. */
  async restore(): Promise<void> {
    const { index, roots } = this.#deps;
    const { folders } = this.isEmpty ? { folders: [] } : await roots.resolveAll();
    const { cancelled } = await this.#syncFolders(folders);
    if (!cancelled) await index.call('restored');
  }

  async cancelSync(): Promise<void> {
    const { index } = this.#deps;
    const wasEmbedding = this.#embedding.size > 0;
    for (const stopping of this.#embedding.keys()) stopping.abort();
    const wasRunning = index.isRunning && (await index.call('cancelSync'));
    if (!wasRunning && !wasEmbedding) throw new AppError('wrong_state', 'No sync is under way');
  }

  async stats(): Promise<MemoryStats> {
    const { index, embedder, backfill: fill, roots } = this.#deps;
    const model = embedder.choice()?.name;
    const [waiting] = this.#embedding.values();
    const { embeddedCount, syncing = waiting, ...counts } = await index.call('stats', model);
    return {
      ...counts,
      method: model !== undefined && embeddedCount > 0 ? 'hybrid' : 'keyword',
      ...(model !== undefined && { embeddingModel: model, embeddedCount }),
      ...(fill.failure !== undefined && { embeddingFailure: fill.failure }),
      roots: roots.configured,
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
  }

  async removeFile(path: string): Promise<void> {
    if (!(await this.#deps.index.call('removeFile', path)))
      throw new AppError('not_found', 'File not found in the index');
  }

  async clear(): Promise<void> {
    await this.#deps.index.call('clear');
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
    const { index, canWatch, mayWatch } = this.#deps;
    if (!canWatch) throw new AppError('unsupported', 'Folders are not watched in the mode pico');
    const [{ watching, reason, ...state }, { lastSyncAt }] = await Promise.all([
      index.call('watchStatus'),
      index.call('stats', undefined),
    ]);
    const enabled = mayWatch();
    const why = enabled ? reason : 'The setting memory.watch is off';
    return { enabled, ...(why !== undefined && { reason: why }), state: { ...state, lastSyncAt, watching } };
  }

  /** What else than files can be found, by key. */
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

  async #syncFolders(folders: string[]): Promise<SyncCounts> {
    const { index, roots } = this.#deps;
    const results: SyncCounts[] = [];
    for (const basePath of folders) {
      const result = await index.call('syncFolder', { basePath, ...roots.rules() });
      results.push(result);
      if (result.cancelled) break;
    }
    return sum(results);
  }

  /** Waits for the vectors of what was synced, as long as the provider makes them. */
  async #fill(basePath: string): Promise<{ cancelled?: true; embeddingFailure?: string }> {
    const { backfill: fill, embedder, onProgress } = this.#deps;
    if (!embedder.choice()) return {};
    const stopping = new AbortController();
    const tell = (done: number, total: number) => {
      const progress: SyncProgress = { basePath, phase: 'embedding', done, total };
      this.#embedding.set(stopping, progress);
      onProgress(progress);
    };
    tell(0, 0);
    try {
      await fill.waitUntilComplete(tell, stopping.signal);
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

  async #toQuery(wish: SearchMemory): Promise<{ query: IndexQuery; reason: string | undefined }> {
    const { query: text, maxResults, minScore, method, under } = wish;
    const { vector, reason } = await this.#embedded(text, method);
    const sync = this.#deps.roots.rules();
    return { query: { text, vector, method, maxResults, minScore, under, sync }, reason };
  }

  /** Why it was searched by keywords only, although there may be a vector of the query. */
  #reasonOf(reason: string | undefined, { vector }: IndexQuery, method: SearchMethod): { reason?: string } {
    if (reason !== undefined) return { reason };
    if (!vector || method !== 'keyword') return {};
    const { backfill: fill } = this.#deps;
    fill.wasUnfit();
    return { reason: byKeywords(fill.failure ?? `no text has a vector of ${vector.model} yet`) };
  }

  async #embedded(text: string, method: SearchMethod | undefined) {
    const embedded = method === 'keyword' ? undefined : await this.#deps.embedder.embedQuery(text);
    if (embedded && 'vector' in embedded) return { vector: embedded.vector, reason: undefined };
    const missing =
      method === 'vector' || method === 'hybrid'
        ? 'No provider for embeddings is set: svc config set memory.embedding.provider openai'
        : undefined;
    return { vector: undefined, reason: embedded?.reason ?? missing };
  }
}

/** Folders that could not be synced count among what was left out. */
function withFaults(counts: SyncCounts, faults: string[]): SyncCounts {
  const reasons = { ...counts.reasons, ...Object.fromEntries(faults.map((fault) => [fault, 1])) };
  return { ...counts, skipped: counts.skipped + faults.length, reasons };
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

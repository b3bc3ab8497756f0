import type { DatabaseSync } from 'node:sqlite';
import type { ScoredChunk, SyncProgress } from '../../../contract/memory.ts';
import { DirtyPaths } from '../files/dirty-paths.ts';
import { FileScanner } from '../files/file-scanner.ts';
import { FileStore } from '../files/file-store.ts';
import { FileSync } from '../files/file-sync.ts';
import { DirectoryWatcher } from '../files/directory-watcher.ts';
import { FreshSearch } from '../files/fresh-search.ts';
import { unindexedPaths } from '../files/unindexed-paths.ts';
import { EntryStore } from './entry-store.ts';
import { formulas } from './formulas.ts';
import type { IndexCalls, IndexOptions, IndexQuery } from './index-calls.ts';
import { markRestored } from './index-database.ts';
import { type Hits, IndexSearch } from './index-search.ts';
import { KeywordIndex } from './keyword-index.ts';
import { SharedIndex } from './shared-index.ts';
import { VectorIndex } from './vector-index.ts';
import { VectorStore } from './vector-store.ts';

export interface IndexEvents {
  onProgress: (progress: SyncProgress) => void;
  /** Texts were added that may need vectors. */
  onChange: () => void;
  /** There are changes that the other daemons of the cluster have not. */
  onUnpublished: () => void;
  /** Background work failed. */
  onError: (error: unknown) => void;
  /** Whether other calls than directory syncs are waiting. */
  hasPendingCalls: () => boolean;
}

/** Wires the index of files and entries behind the calls of its thread. */
export function createMemoryIndex(
  database: DatabaseSync,
  { protectedDirectories, cluster }: Pick<IndexOptions, 'protectedDirectories' | 'cluster'>,
  events: IndexEvents,
) {
  const { onProgress, onChange, onUnpublished, onError, hasPendingCalls } = events;
  const chunkWords = new KeywordIndex(database, 'chunk_words');
  const chunkVectors = new VectorIndex(database, 'chunks');
  const shared =
    cluster === undefined
      ? undefined
      : new SharedIndex({
          database,
          store: () => store,
          onForgotten: (path) => forget(path),
          onUnpublished,
        });
  const store: FileStore = new FileStore({
    database,
    keywords: chunkWords,
    journal: shared,
    onChange: (change) => {
      chunkVectors.applyChange(change);
      watcher.checkFileLimit();
      if (change.added.length > 0) onChange();
    },
  });
  const sync = new FileSync({
    store,
    protectedDirectories,
    onProgress,
    hasPendingCalls,
    now: () => new Date(),
  });
  const isIgnored = unindexedPaths(protectedDirectories);
  const dirty = new DirtyPaths({
    sync,
    onError,
    onSynced(basePath, done) {
      store.setLastSyncAt(new Date().toISOString());
      onProgress({ basePath, phase: 'done', done });
    },
  });
  const scanner = new FileScanner({ store, sync, dirty, isIgnored, isShared: shared !== undefined });
  const watcher = new DirectoryWatcher({ store, dirty, scanner, onError, isIgnored });
  const fresh = new FreshSearch({
    watcher,
    sync,
    dirty,
    scanner,
    syncedDirectories: store.syncedDirectories,
    onError,
  });
  /** A file that a user removes from the index stays out of it until it changes. */
  const forget = (path: string) => {
    scanner.recordRemoved(path);
    dirty.forget(path);
  };
  const search = new IndexSearch({ keywords: chunkWords, vectors: chunkVectors });
  const vectors = new VectorStore(database);
  const entries = new EntryStore(database, onChange);

  const find = async (query: IndexQuery) => {
    if (query.vector) await chunkVectors.warm(query.vector.model);
    const runSearch = () => {
      const hits = search.search(query);
      const rows = store.chunks(hits.hits.map(({ id }) => id));
      return { hits, rows, paths: [...new Set([...rows.values()].map(({ path }) => path))] };
    };
    if (!query.sync)
      return {
        ...runSearch(),
        freshness: { autoSynced: false, stale: false, stalePaths: new Set<string>() },
      };
    const { found, freshness } = await fresh.run(query.sync, runSearch);
    return { ...found, freshness };
  };

  const calls: IndexCalls = {
    syncDirectory: (request) => sync.syncDirectory(request),
    cancelSync: () => sync.cancel(),
    keepOnly(roots) {
      sync.keepOnly(roots);
      return store.keepOnly(roots);
    },
    async search(query) {
      const { hits, rows, freshness } = await find(query);
      const { method, totalCandidates } = hits;
      const { autoSynced, stale } = freshness;
      const found = foundChunks(hits, rows, freshness.stalePaths);
      return { method, totalCandidates, chunks: found.map(({ chunk }) => chunk), autoSynced, stale };
    },
    async explain(query) {
      const { hits, rows, freshness } = await find(query);
      const { words, leftOut } = hits.words;
      const results = foundChunks(hits, rows, freshness.stalePaths).map(({ chunk, hit }) => ({
        chunk,
        ...(hit.keyword && {
          keyword: { ...hit.keyword, words: chunkWords.explain(hits.words, hit.id) },
        }),
        ...(hit.vector && { vector: hit.vector }),
      }));
      return { method: hits.method, formula: formulas[hits.method], words, leftOut, results };
    },
    files: (page) => store.list(page),
    chunksOf: (path) => store.chunksOf(path),
    removeChunk: (id) => store.removeChunk(id),
    removeFile(path) {
      // The path is only used as a key of the index, so any other path finds nothing.
      if (!store.known(path)) return false;
      forget(path);
      return store.removeFile(path);
    },
    clear() {
      sync.cancel();
      scanner.recordCleared();
      dirty.clear();
      store.clear();
      markRestored(database);
      chunkVectors.clear();
    },
    stats: (model) => ({
      ...store.counts(),
      lastSyncAt: store.lastSyncAt(),
      embeddedCount: model === undefined ? 0 : chunkVectors.count(model),
      syncing: sync.progress,
    }),
    async warm(model) {
      const words = chunkWords.wordsOf('memory');
      chunkWords.search(words, { limit: 1 });
      if (model !== undefined) await chunkVectors.warm(model);
    },
    putEntries: (input) => entries.put(input),
    removeEntries: (keys) => entries.remove(keys),
    searchEntries: (query) => entries.search(query),
    async missingVectors({ model, limit }) {
      const missing = await chunkVectors.missing(model, limit);
      return missing.length < limit
        ? [...missing, ...(await entries.missing(model, limit - missing.length))]
        : missing;
    },
    putVectors({ model, vectors: input }) {
      const { chunks, entries: entryIds } = vectors.put(model, input);
      chunkVectors.applyChange({ added: chunks, removed: [] });
      entries.addVectors(entryIds);
    },
    async keepVectorsOf(model) {
      await vectors.keepOnly(model);
      if (model === undefined) return;
      chunkVectors.keepOnly(model);
      entries.keepVectorsOf(model);
    },
    watch: (request) => watcher.watch(request),
    watchStatus: () => watcher.status(),
    restored: () => markRestored(database),
    ...(shared?.calls ?? callsOfClusters),
  };
  return {
    calls,
    /** Cancels long-running work. */
    stop() {
      sync.cancel();
      scanner.close();
    },
    async close() {
      await watcher.watch(undefined);
      database.close();
    },
  };
}

/** The calls that an index of one daemon does not have. */
const refuse = (): never => {
  throw new Error('This index belongs to no cluster');
};
const callsOfClusters: SharedIndex['calls'] = {
  sharedState: refuse,
  addChunkIds: refuse,
  applyFiles: refuse,
  dropRoot: refuse,
  unpublished: refuse,
  published: refuse,
};

export type MemoryIndex = ReturnType<typeof createMemoryIndex>;

/** A chunk removed between the search and the read is left out. */
function foundChunks({ hits }: Hits, rows: ReturnType<FileStore['chunks']>, stalePaths: Set<string>) {
  return hits.flatMap((hit) => {
    const row = rows.get(hit.id);
    if (!row) return [];
    const chunk: ScoredChunk = {
      ...row,
      score: hit.score,
      ...(stalePaths.has(row.path) && { stale: true as const }),
    };
    return [{ chunk, hit }];
  });
}

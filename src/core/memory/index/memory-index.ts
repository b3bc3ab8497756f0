import type { DatabaseSync } from 'node:sqlite';
import type { FoundChunk, SyncProgress } from '../../../contract/memory.ts';
import { DirtyPaths } from '../files/dirty-paths.ts';
import { FileRound } from '../files/file-round.ts';
import { FileStore } from '../files/file-store.ts';
import { FileSync } from '../files/file-sync.ts';
import { FolderWatch } from '../files/folder-watch.ts';
import { FreshSearch } from '../files/fresh-search.ts';
import { unindexedPaths } from '../files/unindexed-paths.ts';
import { EntryStore } from './entry-store.ts';
import { formulas } from './formulas.ts';
import type { IndexCalls, IndexOptions, IndexQuery } from './index-calls.ts';
import { forgetLoss } from './index-database.ts';
import { type Hits, IndexSearch } from './index-search.ts';
import { KeywordIndex } from './keyword-index.ts';
import { VectorIndex } from './vector-index.ts';
import { VectorStore } from './vector-store.ts';

export interface IndexEvents {
  onProgress: (progress: SyncProgress) => void;
  /** Texts came that may need vectors. */
  onChange: () => void;
  /** Work failed that nobody waits for. */
  onFault: (error: unknown) => void;
  /** Whether somebody waits for something else than the sync of a folder. */
  isAwaited: () => boolean;
}

/** The index of files and entries, as its thread offers it. */
export function createMemoryIndex(
  database: DatabaseSync,
  { protectedDirectories }: Pick<IndexOptions, 'protectedDirectories'>,
  events: IndexEvents,
) {
  const { onProgress, onChange, onFault, isAwaited } = events;
  const chunkWords = new KeywordIndex(database, 'chunk_words');
  const chunkVectors = new VectorIndex(database, 'chunks');
  const store = new FileStore({
    database,
    keywords: chunkWords,
    onChange: (change) => {
      chunkVectors.changed(change);
      watch.indexChanged();
      if (change.added.length > 0) onChange();
    },
  });
  const sync = new FileSync({ store, protectedDirectories, onProgress, isAwaited, now: () => new Date() });
  const isIgnored = unindexedPaths(protectedDirectories);
  const dirty = new DirtyPaths({
    sync,
    onFault,
    onSynced(basePath, done) {
      store.setLastSyncAt(new Date().toISOString());
      onProgress({ basePath, phase: 'done', done });
    },
  });
  const round = new FileRound({ store, sync, dirty, isIgnored });
  const watch = new FolderWatch({ store, dirty, round, onFault, isIgnored });
  const fresh = new FreshSearch({
    watch,
    sync,
    dirty,
    round,
    syncedFolders: store.syncedFolders,
    onFault,
  });
  const search = new IndexSearch({ keywords: chunkWords, vectors: chunkVectors });
  const vectors = new VectorStore(database);
  const entries = new EntryStore(database, onChange);

  const find = async (query: IndexQuery) => {
    if (query.vector) await chunkVectors.warm(query.vector.model);
    const look = () => {
      const hits = search.search(query);
      const rows = store.chunks(hits.hits.map(({ id }) => id));
      return { hits, rows, paths: [...new Set([...rows.values()].map(({ path }) => path))] };
    };
    if (!query.sync)
      return { ...look(), freshness: { autoSynced: false, stale: false, stalePaths: new Set<string>() } };
    const { found, freshness } = await fresh.run(query.sync, look);
    return { ...found, freshness };
  };

  const calls: IndexCalls = {
    syncFolder: (order) => sync.syncFolder(order),
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
      // Only what the index holds is looked at: any other path is a key that fits nothing.
      if (!store.known(path)) return false;
      round.wasRemoved(path);
      dirty.forget(path);
      return store.removeFile(path);
    },
    clear() {
      sync.cancel();
      round.wasCleared();
      dirty.clear();
      store.clear();
      forgetLoss(database);
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
    putEntries: (given) => entries.put(given),
    removeEntries: (keys) => entries.remove(keys),
    searchEntries: (query) => entries.search(query),
    async missingVectors({ model, limit }) {
      const missing = await chunkVectors.missing(model, limit);
      return missing.length < limit
        ? [...missing, ...(await entries.missing(model, limit - missing.length))]
        : missing;
    },
    putVectors({ model, vectors: given }) {
      const { chunks, entries: ofEntries } = vectors.put(model, given);
      chunkVectors.changed({ added: chunks, removed: [] });
      entries.vectorsCame(ofEntries);
    },
    async keepVectorsOf(model) {
      await vectors.keepOnly(model);
      if (model === undefined) return;
      chunkVectors.keepOnly(model);
      entries.keepVectorsOf(model);
    },
    watch: (order) => watch.watch(order),
    watchStatus: () => watch.status(),
    restored: () => forgetLoss(database),
  };
  return {
    calls,
    /** Has what takes long come to an end. */
    stop() {
      sync.cancel();
      round.close();
    },
    async close() {
      await watch.watch(undefined);
      database.close();
    },
  };
}

export type MemoryIndex = ReturnType<typeof createMemoryIndex>;

/** What was removed between the search and the reading of its rows is left out. */
function foundChunks({ hits }: Hits, rows: ReturnType<FileStore['chunks']>, stalePaths: Set<string>) {
  return hits.flatMap((hit) => {
    const row = rows.get(hit.id);
    if (!row) return [];
    const chunk: FoundChunk = {
      ...row,
      score: hit.score,
      ...(stalePaths.has(row.path) && { stale: true as const }),
    };
    return [{ chunk, hit }];
  });
}

import type {
  Chunk,
  ChunkExplanation,
  ScoredChunk,
  IndexedFile,
  SearchMethod,
  SyncProgress,
  SyncResult,
} from '../../../contract/memory.ts';

/** The options of the index thread. */
export interface IndexOptions {
  /** The index database; created when missing, recreated when unreadable. */
  file: string;
  /** Real paths of the daemon's own directories, which are never indexed. */
  protectedDirectories: string[];
  cacheMiB: number;
  /** The cluster whose files it holds; undefined where it is of one daemon. An index of another one is recreated. */
  cluster?: string | undefined;
}

export interface ThreadData extends IndexOptions {
  /** Shared counter of pending calls without directory syncs; the thread reads it while it works. */
  pendingCalls: Int32Array;
}

export interface SyncRequest {
  /** The real path of the directory to sync, at or below a root. */
  basePath: string;
  /** Real paths of all roots; files of other directories are removed from the index. */
  roots: string[];
  /** Roots whose files other daemons have; they stay in the index. */
  elsewhere?: string[] | undefined;
  maxFileBytes: number;
  maxFiles: number;
}

export interface WatchRequest extends Omit<SyncRequest, 'basePath'> {
  /** Above this number of files nothing is watched. */
  watchFiles: number;
}

export interface IndexQuery {
  text: string;
  /** The query vector and its model; without it the search uses keywords only. */
  vector?: { model: string; values: Float32Array } | undefined;
  method?: SearchMethod | undefined;
  maxResults: number;
  minScore: number;
  /** Only files at or below this path. */
  under?: string | undefined;
  /** The limits for syncing changed files before the search; undefined skips that. */
  sync?: Omit<SyncRequest, 'basePath'> | undefined;
}

export interface FoundInIndex {
  method: SearchMethod;
  totalCandidates: number;
  chunks: ScoredChunk[];
  autoSynced: boolean;
  stale: boolean;
}

export interface ExplainedByIndex {
  method: SearchMethod;
  formula: string;
  words: string[];
  leftOut: string[];
  results: ChunkExplanation[];
}

/** A searchable entry other than a file, such as an experience. Lives as long as the thread. */
export interface IndexEntry {
  key: string;
  ownerId: string;
  title: string;
  body: string;
  tags: string[];
}

export interface EntryQuery {
  /** The owner of the entries; undefined for all users. */
  ownerId: string | undefined;
  text: string;
  vector?: IndexQuery['vector'];
  limit: number;
}

export interface IndexStats {
  fileCount: number;
  chunkCount: number;
  /** ISO 8601; when the last directory sync finished. */
  lastSyncAt: string | null;
  /** Chunks with a vector of the given model. */
  embeddedCount: number;
  /** The running sync. */
  syncing?: SyncProgress | undefined;
}

export interface WatchStatus {
  watching: boolean;
  /** Why nothing is watched. */
  reason?: string | undefined;
  dirty: boolean;
  syncing: boolean;
  watchedFiles: number;
}

export interface MissingVector {
  /** SHA-256 of the text, hexadecimal. */
  hash: string;
  text: string;
}

/** A file as all daemons of a cluster have it. */
export interface SharedFile {
  path: string;
  /** Rises with each change of its root. */
  rev: number;
  /** undefined where it was removed. */
  file: StoredFile | undefined;
}

/** What is stored of a file. */
export interface StoredFile {
  /** The searchable part of the path. */
  relativePath: string;
  hash: string;
  size: number;
  stamp: string;
  updatedAt: string;
  chunks: StoredChunk[];
}

export interface StoredChunk {
  /** The same on all daemons. */
  id?: number;
  startLine: number;
  endLine: number;
  heading: string;
  text: string;
}

/** A change of this daemon that the others have not yet. */
export interface UnpublishedFile {
  path: string;
  version: number;
  /** What the others have of it. */
  shared?: { root: string; rev: number };
  /** undefined where it was removed. */
  file: StoredFile | undefined;
}

/** The calls of the index thread. An `AppError` thrown there reaches the caller. */
export interface IndexCalls {
  /** Syncs run one at a time. Progress goes to the client's listener. */
  syncDirectory(request: SyncRequest): Promise<Omit<SyncResult, 'durationMs'>>;
  /** Returns whether there was a sync to cancel. */
  cancelSync(): boolean;
  /** Removes files outside of these directories. */
  keepOnly(roots: string[]): Promise<void>;
  search(query: IndexQuery): Promise<FoundInIndex>;
  explain(query: IndexQuery): Promise<ExplainedByIndex>;
  files(page: { limit: number; offset: number }): { files: IndexedFile[]; total: number };
  /** undefined for a path that is not in the index. */
  chunksOf(path: string): Chunk[] | undefined;
  /** Returns whether it existed. */
  removeChunk(id: string): boolean;
  removeFile(path: string): boolean;
  clear(): void;
  stats(model: string | undefined): IndexStats;
  /** Loads what the first search needs into memory. */
  warm(model: string | undefined): Promise<void>;
  putEntries(entries: IndexEntry[]): void;
  removeEntries(keys: string[]): void;
  searchEntries(query: EntryQuery): { method: SearchMethod; found: { key: string; score: number }[] };
  /** Texts without a vector of this model, oldest first. */
  missingVectors(request: { model: string; limit: number }): Promise<MissingVector[]>;
  putVectors(request: { model: string; vectors: { hash: string; values: Float32Array }[] }): void;
  /** Removes vectors of removed texts and, when a model is given, of other models. */
  keepVectorsOf(model: string | undefined): Promise<void>;
  /** Watches these directories from now on, or none. */
  watch(request: WatchRequest | undefined): Promise<void>;
  watchStatus(): WatchStatus;
  /** Confirms that the content of a recreated index has been restored. */
  restored(): void;
  /** Up to which number the index has the changes of each root, and for how many chunks it has ids. Only in a cluster. */
  sharedState(): { revs: Record<string, number>; idsLeft: number };
  /** Ids that this daemon may give to chunks, `to` excluded. */
  addChunkIds(range: { from: number; to: number }): void;
  /** Takes over changes of a root up to a number; `isKept` where this daemon has its files. */
  applyFiles(changes: { root: string; files: SharedFile[]; rev: number; isKept: boolean }): void;
  /** Removes all shared files of a root, and remembers the number if there is one; `isKept` where this daemon has its files. */
  dropRoot(root: { root: string; rev?: number; isKept: boolean }): void;
  /** The oldest changes that the others have not. */
  unpublished(limit: number): { files: UnpublishedFile[]; idsLeft: number };
  /** Confirms that the others have these changes, as those of the root after `before` up to `rev`. */
  published(changes: {
    root: string;
    before: number;
    rev: number;
    files: { path: string; version: number; rev?: number }[];
  }): void;
}

export type IndexCall = keyof IndexCalls;
type CallArgument<K extends IndexCall> = Parameters<IndexCalls[K]>[0];

/** A message to the thread. */
export interface CallMessage<K extends IndexCall = IndexCall> {
  id: number;
  call: K;
  argument: CallArgument<K>;
}

/** A message from the thread. */
export type IndexMessage =
  | { type: 'answer'; id: number; value: unknown }
  | { type: 'failure'; id: number; code?: string; message: string; stack?: string | undefined }
  | { type: 'progress'; progress: SyncProgress }
  /** Chunks or entries were added that may need vectors. */
  | { type: 'changed' }
  /** There are changes that the other daemons of the cluster have not. */
  | { type: 'unpublished' }
  /** The index was recreated and is incomplete. */
  | { type: 'lost' }
  /** Background work failed. */
  | { type: 'fault'; message: string };

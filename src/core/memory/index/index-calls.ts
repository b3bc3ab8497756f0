import type {
  Chunk,
  ExplainedChunk,
  FoundChunk,
  IndexedFile,
  SearchMethod,
  SyncProgress,
  SyncResult,
} from '../../../contract/memory.ts';

/** What the thread of the index is started with. */
export interface IndexOptions {
  /** The database of the index; made where it is missing, and made anew where it cannot be read. */
  file: string;
  /** Real places of the daemon's own folders, of which nothing is indexed. */
  protectedDirectories: string[];
  cacheMiB: number;
}

export interface ThreadData extends IndexOptions {
  /** How many calls wait for their answer, not counting syncs of folders; the thread sees it in the middle of its work. */
  awaited: Int32Array;
}

export interface SyncOrder {
  /** The real place of the folder to sync, at or below one of the roots. */
  basePath: string;
  /** Real places of all folders that may be indexed; what the index holds of others is removed. */
  roots: string[];
  maxFileBytes: number;
  maxFiles: number;
}

export interface WatchOrder extends Omit<SyncOrder, 'basePath'> {
  /** With more files than this nothing is watched. */
  watchFiles: number;
}

export interface IndexQuery {
  text: string;
  /** The text as a vector, and the model that made it; searched by keywords only without. */
  vector?: { model: string; values: Float32Array } | undefined;
  method?: SearchMethod | undefined;
  maxResults: number;
  minScore: number;
  /** Only files at or below this path. */
  under?: string | undefined;
  /** What it takes to sync files that changed; undefined leaves them as they are. */
  sync?: Omit<SyncOrder, 'basePath'> | undefined;
}

export interface FoundInIndex {
  method: SearchMethod;
  totalCandidates: number;
  chunks: FoundChunk[];
  autoSynced: boolean;
  stale: boolean;
}

export interface ExplainedByIndex {
  method: SearchMethod;
  formula: string;
  words: string[];
  leftOut: string[];
  results: ExplainedChunk[];
}

/** Something else than a file that can be found: an experience. Kept as long as the thread lives. */
export interface IndexEntry {
  key: string;
  ownerId: string;
  title: string;
  body: string;
  tags: string[];
}

export interface EntryQuery {
  /** Whose entries; undefined for everybody's. */
  ownerId: string | undefined;
  text: string;
  vector?: IndexQuery['vector'];
  limit: number;
}

export interface IndexStats {
  fileCount: number;
  chunkCount: number;
  /** ISO 8601; when the last sync of a folder ended. */
  lastSyncAt: string | null;
  /** Chunks that have a vector of the model that was asked about. */
  embeddedCount: number;
  /** The sync under way. */
  syncing?: SyncProgress | undefined;
}

export interface WatchStatus {
  watching: boolean;
  /** Why it is not. */
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

/** All that the daemon asks of the thread of the index. An `AppError` that is thrown there arrives as one. */
export interface IndexCalls {
  /** One sync at a time: another waits for it. Tells its progress to whoever listens to the client. */
  syncFolder(order: SyncOrder): Promise<Omit<SyncResult, 'durationMs'>>;
  /** Answers whether there was a sync to stop. */
  cancelSync(): boolean;
  /** Removes what is below none of these folders any more. */
  keepOnly(roots: string[]): Promise<void>;
  search(query: IndexQuery): Promise<FoundInIndex>;
  explain(query: IndexQuery): Promise<ExplainedByIndex>;
  files(page: { limit: number; offset: number }): { files: IndexedFile[]; total: number };
  /** undefined for a path that is not in the index. */
  chunksOf(path: string): Chunk[] | undefined;
  /** Answers whether it was there. */
  removeChunk(id: string): boolean;
  removeFile(path: string): boolean;
  clear(): void;
  stats(model: string | undefined): IndexStats;
  /** Reads into memory what the first search would have to read. */
  warm(model: string | undefined): Promise<void>;
  putEntries(entries: IndexEntry[]): void;
  removeEntries(keys: string[]): void;
  searchEntries(query: EntryQuery): { method: SearchMethod; found: { key: string; score: number }[] };
  /** Texts of chunks and entries that have no vector of this model, oldest first. */
  missingVectors(order: { model: string; limit: number }): Promise<MissingVector[]>;
  putVectors(order: { model: string; vectors: { hash: string; values: Float32Array }[] }): void;
  /** Removes vectors of other models, unless none is given, and of texts that are gone. */
  keepVectorsOf(model: string | undefined): Promise<void>;
  /** Watches the folders from now on, or, without an order, none. */
  watch(order: WatchOrder | undefined): Promise<void>;
  watchStatus(): WatchStatus;
  /** All that an index held that had to be made anew is in it again. */
  restored(): void;
}

export type IndexCall = keyof IndexCalls;
type Sent<K extends IndexCall> = Parameters<IndexCalls[K]>[0];

/** What travels to the thread. */
export interface CallMessage<K extends IndexCall = IndexCall> {
  id: number;
  call: K;
  argument: Sent<K>;
}

/** What travels back. */
export type IndexMessage =
  | { type: 'answer'; id: number; value: unknown }
  | { type: 'failure'; id: number; code?: string; message: string; stack?: string | undefined }
  | { type: 'progress'; progress: SyncProgress }
  /** Chunks or entries came that may need vectors. */
  | { type: 'changed' }
  /** The index was made anew, and holds less than before. */
  | { type: 'lost' }
  /** Work failed that nobody waits for. */
  | { type: 'fault'; message: string };

import { z } from 'zod';
import { limitSchema, messageSchema, offsetSchema, pageFields, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

/** How results were found. */
export const searchMethodSchema = z.enum(['hybrid', 'vector', 'keyword']);
export type SearchMethod = z.output<typeof searchMethodSchema>;

/** A part of an indexed file; lines count from 1, the end line is included. */
export const chunkSchema = z
  .object({
    id: z.string(),
    path: z.string().meta({ description: 'Absolute path with symlinks resolved' }),
    startLine: z.int().min(1),
    endLine: z.int().min(1),
    text: z.string().meta({ description: 'The exact lines; a very long line is split' }),
    heading: z.string().optional().meta({ description: 'Headings above the chunk, outermost first' }),
  })
  .meta({ id: 'Chunk' });
export type Chunk = z.output<typeof chunkSchema>;

const scoreSchema = z.number().min(0).max(1).meta({ description: 'Relevance, comparable within a method' });

export const scoredChunkSchema = chunkSchema.extend({
  score: scoreSchema,
  stale: z.literal(true).optional().meta({ description: 'The file changed since the last sync' }),
});
export type ScoredChunk = z.output<typeof scoredChunkSchema>;

/** Which part of the memory a run uses: what belongs to its project, or all of it. */
export const memoryScopeSchema = z.enum(['project', 'all']);
export type MemoryScopeName = z.output<typeof memoryScopeSchema>;

export const searchMemorySchema = z.object({
  query: z
    .string()
    .min(1)
    .max(100_000)
    .meta({ description: 'A question or keywords; plain text without operators' }),
  maxResults: z.int().min(1).max(100).default(6),
  minScore: z.number().min(0).max(1).default(0),
  method: searchMethodSchema
    .optional()
    .meta({ description: 'Search method; defaults to the best available' }),
  under: z.string().min(1).max(4096).optional().meta({ description: 'Only files at or below this path' }),
});
export type SearchMemory = z.output<typeof searchMemorySchema>;

export const searchResultSchema = z
  .object({
    query: z.string(),
    method: searchMethodSchema,
    totalCandidates: z.int().meta({ description: 'Number of candidate chunks' }),
    chunks: z.array(scoredChunkSchema),
    autoSynced: z.boolean().meta({ description: 'Changed files were synced for this search' }),
    stale: z.boolean().meta({ description: 'Files may have changed since the last sync' }),
    reason: z.string().optional().meta({ description: 'Why only keyword search was used' }),
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.output<typeof searchResultSchema>;

/** How the score of a result was computed. */
export const chunkExplanationSchema = z.object({
  chunk: scoredChunkSchema,
  keyword: z
    .object({
      rank: z.int(),
      points: z.number().meta({ description: 'BM25, summed over the words' }),
      words: z.array(z.object({ word: z.string(), points: z.number() })),
    })
    .optional(),
  vector: z.object({ rank: z.int(), similarity: z.number() }).optional(),
});
export type ChunkExplanation = z.output<typeof chunkExplanationSchema>;

export const explanationSchema = z.object({
  query: z.string(),
  method: searchMethodSchema,
  formula: z.string().meta({ description: 'Formula of the score of this method' }),
  words: z.array(z.string()).meta({ description: 'The search terms' }),
  leftOut: z.array(z.string()).meta({ description: 'Ignored words: too frequent, or too many' }),
  reason: z.string().optional(),
  results: z.array(chunkExplanationSchema),
});
export type Explanation = z.output<typeof explanationSchema>;

export const syncResultSchema = z
  .object({
    synced: z.int().meta({ description: 'Files that are up to date in the index' }),
    added: z.int(),
    updated: z.int(),
    removed: z.int(),
    skipped: z.int().meta({ description: 'Skipped files: binary, too large, unreadable or secret' }),
    durationMs: z.number(),
    cancelled: z.boolean().meta({ description: 'The sync was cancelled; completed work is kept' }),
    reasons: z.record(z.string(), z.int()).meta({ description: 'Number of skipped files by reason' }),
    embeddingFailure: z.string().optional().meta({ description: 'Why some vectors are missing' }),
  })
  .meta({ id: 'SyncResult' });
export type SyncResult = z.output<typeof syncResultSchema>;

export const syncProgressSchema = z
  .object({
    basePath: z.string(),
    phase: z.enum(['looking', 'reading', 'embedding', 'done']),
    done: z.int(),
    total: z.int().optional().meta({ description: 'Present once the scan is complete' }),
    remainingMs: z.int().optional().meta({ description: 'Estimated time until all files are read' }),
  })
  .meta({ id: 'SyncProgress' });
export type SyncProgress = z.output<typeof syncProgressSchema>;

export const indexedFileSchema = z
  .object({
    path: z.string(),
    hash: z.string().meta({ description: 'SHA-256 of the bytes, hexadecimal' }),
    size: z.int(),
    chunkCount: z.int(),
    updatedAt: timestampSchema,
  })
  .meta({ id: 'IndexedFile' });
export type IndexedFile = z.output<typeof indexedFileSchema>;

/** Which daemon of a cluster reads the files of a root. */
export const sharedRootSchema = z
  .object({
    path: z.string(),
    host: z.string().meta({ description: 'The machine that has the files' }),
    daemon: z.string().meta({ description: 'The id of the daemon that reads them, or was the last one' }),
    online: z
      .boolean()
      .meta({ description: 'Whether a daemon reads them now; otherwise the index stays as it is' }),
  })
  .meta({ id: 'SharedRoot' });
export type SharedRoot = z.output<typeof sharedRootSchema>;

export const memoryStatsSchema = z
  .object({
    fileCount: z.int(),
    chunkCount: z.int(),
    lastSyncAt: timestampSchema.nullable(),
    method: searchMethodSchema.meta({ description: 'Best method available now' }),
    embeddingModel: z.string().optional(),
    embeddedCount: z.int().optional().meta({ description: 'Chunks with a vector of this model' }),
    embeddingFailure: z
      .string()
      .optional()
      .meta({ description: 'Why vectors could not be created recently' }),
    roots: z.array(z.string()).meta({ description: 'Directories that may be indexed' }),
    sharedRoots: z
      .array(sharedRootSchema)
      .optional()
      .meta({ description: 'In mode pro: which daemon reads each root' }),
    syncing: syncProgressSchema.optional(),
  })
  .meta({ id: 'MemoryStats' });
export type MemoryStats = z.output<typeof memoryStatsSchema>;

export const watcherStatusSchema = z.object({
  enabled: z.boolean(),
  reason: z.string().optional().meta({ description: 'Why directories are not watched' }),
  state: z.object({
    dirty: z.boolean().meta({ description: 'Files changed since the last sync' }),
    syncing: z.boolean(),
    lastSyncAt: timestampSchema.nullable(),
    watchedFiles: z.int(),
    watching: z.boolean(),
  }),
});
export type WatcherStatus = z.output<typeof watcherStatusSchema>;

export const memorySessionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    userId: z.string(),
    conversationId: z.string().optional(),
    status: z.enum(['active', 'archived']),
    createdAt: timestampSchema,
    archivedAt: timestampSchema.optional(),
  })
  .meta({ id: 'MemorySession' });
export type MemorySession = z.output<typeof memorySessionSchema>;

export const createMemorySessionSchema = z.object({
  name: z.string().trim().min(1).max(200),
  conversationId: z.string().min(1).max(200).optional(),
  userId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Only an administrator may name another user' }),
});
export type CreateMemorySession = z.output<typeof createMemorySessionSchema>;

export const listMemorySessionsQuerySchema = z.object({
  status: memorySessionSchema.shape.status.optional(),
  limit: limitSchema(50),
  offset: offsetSchema.default(0),
});
export type ListMemorySessionsQuery = z.output<typeof listMemorySessionsQuerySchema>;

export const warmMemorySchema = z
  .object({
    query: searchMemorySchema.shape.query.optional().meta({ description: 'Topic of the run' }),
  })
  .prefault({});

/** A path is only a key of the index, never opened. */
const pathParamsSchema = z.object({ path: z.string().min(1) });
const sessionAnswer = z.object({ session: memorySessionSchema });

export const memoryRoutes = defineRoutes({
  search: {
    method: 'POST',
    path: '/api/memory/search',
    access: 'session',
    summary: 'Search indexed files by keywords or a question',
    errors: [503],
    body: searchMemorySchema,
    nulIn: 'query',
    response: searchResultSchema,
  },
  explainSearch: {
    method: 'POST',
    path: '/api/memory/why',
    access: 'session',
    summary: 'Search indexed files and explain each score',
    errors: [503],
    body: searchMemorySchema,
    nulIn: 'query',
    response: explanationSchema,
  },
  sync: {
    method: 'POST',
    path: '/api/memory/sync',
    access: 'session',
    summary: 'Sync the index with one directory or all of them',
    errors: [503],
    body: z
      .object({
        basePath: z.string().min(1).max(4096).optional().meta({
          description:
            'Absolute path. An administrator allows the directory by syncing it; other users need it to be allowed',
        }),
      })
      .prefault({}),
    response: syncResultSchema,
  },
  cancelSync: {
    method: 'DELETE',
    path: '/api/memory/sync',
    access: 'session',
    summary: 'Cancel the running sync',
    errors: [503],
    response: messageSchema,
  },
  getStats: {
    method: 'GET',
    path: '/api/memory/stats',
    access: 'session',
    summary: 'Get statistics of the index',
    errors: [503],
    response: memoryStatsSchema,
  },
  listFiles: {
    method: 'GET',
    path: '/api/memory/files',
    access: 'session',
    summary: 'List indexed files by path',
    errors: [503],
    query: z.object({ limit: limitSchema(500), offset: offsetSchema.default(0) }),
    response: z.object({
      files: z.array(indexedFileSchema),
      ...pageFields,
    }),
  },
  listChunks: {
    method: 'GET',
    path: '/api/memory/files/:path/chunks',
    access: 'session',
    summary: 'List the chunks of an indexed file by line',
    errors: [503],
    params: pathParamsSchema,
    response: z.object({ path: z.string(), chunks: z.array(chunkSchema) }),
  },
  deleteChunk: {
    method: 'DELETE',
    path: '/api/memory/chunks/:id',
    access: 'session',
    summary: 'Delete a chunk until its file changes',
    errors: [503],
    params: z.object({ id: z.string().min(1) }),
    response: messageSchema,
  },
  deleteFile: {
    method: 'DELETE',
    path: '/api/memory/files/:path',
    access: 'session',
    summary: 'Delete the chunks of a file until the next sync',
    errors: [503],
    params: pathParamsSchema,
    response: messageSchema,
  },
  deleteAll: {
    method: 'DELETE',
    path: '/api/memory/all',
    access: 'admin',
    summary: 'Delete the whole index',
    errors: [503],
    response: messageSchema,
  },
  listSessions: {
    method: 'GET',
    path: '/api/memory/sessions',
    access: 'session',
    summary: 'List memory sessions, newest first',
    query: listMemorySessionsQuerySchema,
    response: z.object({
      sessions: z.array(memorySessionSchema),
      ...pageFields,
    }),
  },
  createSession: {
    method: 'POST',
    path: '/api/memory/sessions',
    access: 'session',
    summary: 'Create a memory session',
    errors: [404],
    body: createMemorySessionSchema,
    status: 201,
    response: sessionAnswer,
  },
  archiveSession: {
    method: 'POST',
    path: '/api/memory/sessions/:id/archive',
    access: 'session',
    summary: 'Archive a memory session',
    params: z.object({ id: z.string().min(1).max(200) }),
    response: sessionAnswer,
  },
  warm: {
    method: 'POST',
    path: '/api/memory/warm',
    access: 'session',
    summary: 'Warm up the index before a run',
    errors: [503],
    body: warmMemorySchema,
    response: z.object({
      fileCount: z.int(),
      chunkCount: z.int(),
      method: searchMethodSchema,
      durationMs: z.number(),
    }),
  },
  getWatcherStatus: {
    method: 'GET',
    path: '/api/memory/watcher/status',
    access: 'session',
    summary: 'Get the status of the file watcher',
    errors: [501, 503],
    response: watcherStatusSchema,
  },
});

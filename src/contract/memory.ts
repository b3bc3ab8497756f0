import { z } from 'zod';
import { limitSchema, messageSchema, offsetSchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

/** Which ways of searching an answer came about by. */
export const searchMethodSchema = z.enum(['hybrid', 'vector', 'keyword']);
export type SearchMethod = z.output<typeof searchMethodSchema>;

/** A piece of an indexed file; lines count from 1 and the last one belongs to it. */
export const chunkSchema = z
  .object({
    id: z.string(),
    path: z.string().meta({ description: 'Absolute, every link resolved' }),
    startLine: z.int().min(1),
    endLine: z.int().min(1),
    text: z.string().meta({ description: 'Exactly these lines; a very long line comes in pieces' }),
    heading: z.string().optional().meta({ description: 'The headings above it, from the outermost' }),
  })
  .meta({ id: 'Chunk' });
export type Chunk = z.output<typeof chunkSchema>;

const scoreSchema = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'How well it fits, comparable within a method' });

export const foundChunkSchema = chunkSchema.extend({
  score: scoreSchema,
  stale: z
    .literal(true)
    .optional()
    .meta({ description: 'The file has changed since, and is not synced yet' }),
});
export type FoundChunk = z.output<typeof foundChunkSchema>;

export const searchMemorySchema = z.object({
  query: z
    .string()
    .min(1)
    .max(100_000)
    .meta({ description: 'A question or words; any text, none of it is syntax' }),
  maxResults: z.int().min(1).max(100).default(6),
  minScore: z.number().min(0).max(1).default(0),
  method: searchMethodSchema
    .optional()
    .meta({ description: 'Only this way; the best that is possible unless set' }),
  under: z.string().min(1).max(4096).optional().meta({ description: 'Only files at or below this path' }),
});
export type SearchMemory = z.output<typeof searchMemorySchema>;

export const searchResultSchema = z
  .object({
    query: z.string(),
    method: searchMethodSchema,
    totalCandidates: z.int().meta({ description: 'How many chunks came into question' }),
    chunks: z.array(foundChunkSchema),
    autoSynced: z.boolean().meta({ description: 'Files that had changed were synced for this search' }),
    stale: z.boolean().meta({ description: 'Files may have changed that this search does not know' }),
    reason: z.string().optional().meta({ description: 'Why it was searched by keywords only' }),
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.output<typeof searchResultSchema>;

/** How a result came about. */
export const explainedChunkSchema = z.object({
  chunk: foundChunkSchema,
  keyword: z
    .object({
      rank: z.int(),
      points: z.number().meta({ description: 'BM25, the sum over the words' }),
      words: z.array(z.object({ word: z.string(), points: z.number() })),
    })
    .optional(),
  vector: z.object({ rank: z.int(), similarity: z.number() }).optional(),
});
export type ExplainedChunk = z.output<typeof explainedChunkSchema>;

export const explanationSchema = z.object({
  query: z.string(),
  method: searchMethodSchema,
  formula: z.string().meta({ description: 'How the score of this method is made' }),
  words: z.array(z.string()).meta({ description: 'What was looked for' }),
  leftOut: z.array(z.string()).meta({ description: 'Words too frequent to tell anything, or too many' }),
  reason: z.string().optional(),
  results: z.array(explainedChunkSchema),
});
export type Explanation = z.output<typeof explanationSchema>;

export const syncResultSchema = z
  .object({
    synced: z.int().meta({ description: 'Files that the index now holds as they are' }),
    added: z.int(),
    updated: z.int(),
    removed: z.int(),
    skipped: z.int().meta({ description: 'Files left out: binary, too large, unreadable, secret' }),
    durationMs: z.number(),
    cancelled: z.boolean().meta({ description: 'It was stopped; what it had done stays' }),
    reasons: z
      .record(z.string(), z.int())
      .meta({ description: 'How many files were left out for which reason' }),
    embeddingFailure: z.string().optional().meta({ description: 'Why the vectors are not all made yet' }),
  })
  .meta({ id: 'SyncResult' });
export type SyncResult = z.output<typeof syncResultSchema>;

export const syncProgressSchema = z
  .object({
    basePath: z.string(),
    phase: z.enum(['looking', 'reading', 'embedding', 'done']),
    done: z.int(),
    total: z.int().optional().meta({ description: 'Known once everything was looked at' }),
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

export const memoryStatsSchema = z
  .object({
    fileCount: z.int(),
    chunkCount: z.int(),
    lastSyncAt: timestampSchema.nullable(),
    method: searchMethodSchema.meta({ description: 'The best that is possible now' }),
    embeddingModel: z.string().optional(),
    embeddedCount: z.int().optional().meta({ description: 'Chunks that have a vector of this model' }),
    embeddingFailure: z.string().optional().meta({ description: 'Why vectors could not be made lately' }),
    roots: z.array(z.string()).meta({ description: 'Folders that may be indexed' }),
    syncing: syncProgressSchema.optional(),
  })
  .meta({ id: 'MemoryStats' });
export type MemoryStats = z.output<typeof memoryStatsSchema>;

export const watcherStatusSchema = z.object({
  enabled: z.boolean(),
  reason: z.string().optional().meta({ description: 'Why folders are not watched' }),
  state: z.object({
    dirty: z.boolean().meta({ description: 'Files have changed that are not synced yet' }),
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
  userId: z.string().min(1).max(200).optional().meta({ description: 'Only an administrator names others' }),
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
    query: searchMemorySchema.shape.query.optional().meta({ description: 'What the run will be about' }),
  })
  .prefault({});

/** A path is only a key: whatever is not in the index is not there. */
const pathParamsSchema = z.object({ path: z.string().min(1) });
const sessionAnswer = z.object({ session: memorySessionSchema });

export const memoryRoutes = defineRoutes({
  search: {
    method: 'POST',
    path: '/api/memory/search',
    access: 'session',
    summary: 'Search the indexed files by keywords or a question',
    errors: [503],
    body: searchMemorySchema,
    nulIn: 'query',
    response: searchResultSchema,
  },
  why: {
    method: 'POST',
    path: '/api/memory/why',
    access: 'session',
    summary: 'Search, and show how each score came about',
    errors: [503],
    body: searchMemorySchema,
    nulIn: 'query',
    response: explanationSchema,
  },
  sync: {
    method: 'POST',
    path: '/api/memory/sync',
    access: 'session',
    summary: 'Bring the index up to date with a folder, or with all of them',
    errors: [503],
    body: z
      .object({
        basePath: z.string().min(1).max(4096).optional().meta({
          description: 'Absolute. An administrator allows it by this; others need it to be allowed',
        }),
      })
      .prefault({}),
    response: syncResultSchema,
  },
  cancelSync: {
    method: 'DELETE',
    path: '/api/memory/sync',
    access: 'session',
    summary: 'Stop the sync under way',
    errors: [503],
    response: messageSchema,
  },
  stats: {
    method: 'GET',
    path: '/api/memory/stats',
    access: 'session',
    summary: 'Show how much is indexed, and how it is searched',
    errors: [503],
    response: memoryStatsSchema,
  },
  files: {
    method: 'GET',
    path: '/api/memory/files',
    access: 'session',
    summary: 'List the indexed files by their paths',
    errors: [503],
    query: z.object({ limit: limitSchema(500), offset: offsetSchema.default(0) }),
    response: z.object({
      files: z.array(indexedFileSchema),
      total: z.int(),
      limit: z.int(),
      offset: z.int(),
    }),
  },
  chunks: {
    method: 'GET',
    path: '/api/memory/files/:path/chunks',
    access: 'session',
    summary: 'Show the chunks of an indexed file, in the order of their lines',
    errors: [503],
    params: pathParamsSchema,
    response: z.object({ path: z.string(), chunks: z.array(chunkSchema) }),
  },
  removeChunk: {
    method: 'DELETE',
    path: '/api/memory/chunks/:id',
    access: 'session',
    summary: 'Delete a chunk until its file changes',
    errors: [503],
    params: z.object({ id: z.string().min(1) }),
    response: messageSchema,
  },
  removeFile: {
    method: 'DELETE',
    path: '/api/memory/files/:path',
    access: 'session',
    summary: 'Delete all chunks of a file until the next sync',
    errors: [503],
    params: pathParamsSchema,
    response: messageSchema,
  },
  clear: {
    method: 'DELETE',
    path: '/api/memory/all',
    access: 'admin',
    summary: 'Delete the whole index of files',
    errors: [503],
    response: messageSchema,
  },
  sessions: {
    method: 'GET',
    path: '/api/memory/sessions',
    access: 'session',
    summary: 'List memory sessions, newest first',
    query: listMemorySessionsQuerySchema,
    response: z.object({
      sessions: z.array(memorySessionSchema),
      total: z.int(),
      limit: z.int(),
      offset: z.int(),
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
    summary: 'Load the index before a run, so that its first search is fast',
    errors: [503],
    body: warmMemorySchema,
    response: z.object({
      fileCount: z.int(),
      chunkCount: z.int(),
      method: searchMethodSchema,
      durationMs: z.number(),
    }),
  },
  watcher: {
    method: 'GET',
    path: '/api/memory/watcher/status',
    access: 'session',
    summary: 'Show whether indexed folders are watched',
    errors: [501, 503],
    response: watcherStatusSchema,
  },
});

import { z } from 'zod';
import { momentSchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

const bytes = z.int();

export const auditArchiveSchema = z
  .object({
    file: z.string().meta({ description: 'Path on the machine of the daemon' }),
    entries: z.int(),
    bytes,
    firstSeq: z.int(),
    lastSeq: z.int(),
    from: timestampSchema,
    to: timestampSchema,
    lastHash: z.string().meta({ description: 'The hash that the next entry of the log contains' }),
    sha256: z.string().meta({ description: 'SHA-256 of the file' }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'AuditArchive' });
export type AuditArchive = z.output<typeof auditArchiveSchema>;

export const dataUsageSchema = z
  .object({
    database: z.object({
      file: z.string(),
      bytes,
      walBytes: bytes,
      freeBytes: bytes.meta({ description: 'Free pages inside the file' }),
      incrementalVacuum: z
        .boolean()
        .meta({ description: 'Whether free pages return to the disk without rewriting the file' }),
    }),
    disk: z.object({ freeBytes: bytes, totalBytes: bytes }),
    tables: z
      .array(z.object({ name: z.string(), rows: z.int(), bytes }))
      .meta({ description: 'Largest first; indexes count to their table' }),
    directories: z.array(z.object({ name: z.string(), path: z.string(), files: z.int(), bytes })),
    retention: z.array(
      z.object({ name: z.string(), setting: z.string(), days: z.int().meta({ description: '0: forever' }) }),
    ),
    archives: z.array(auditArchiveSchema),
  })
  .meta({ id: 'DataUsage' });
export type DataUsage = z.output<typeof dataUsageSchema>;

export const pruneDataSchema = z.object({
  dryRun: z.boolean().default(false).meta({ description: 'Only count what would be removed' }),
  vacuum: z
    .boolean()
    .default(false)
    .meta({ description: 'Also rewrite the database file; writes wait meanwhile' }),
});
export type PruneData = z.output<typeof pruneDataSchema>;

export const pruneReportSchema = z
  .object({
    dryRun: z.boolean(),
    removed: z.array(z.object({ name: z.string(), count: z.int() })),
    freedBytes: bytes.meta({ description: 'By how much the database file became smaller' }),
    incrementalVacuum: z.boolean(),
  })
  .meta({ id: 'PruneReport' });
export type PruneReport = z.output<typeof pruneReportSchema>;

export const worktreeOrphanSchema = z
  .object({
    kind: z.enum(['directory', 'row']).meta({
      description: '`directory`: no task has it. `row`: the worktree of a task is gone',
    }),
    taskId: z.string(),
    path: z.string(),
    isClean: z.boolean().meta({ description: 'Nothing would be lost with it' }),
  })
  .meta({ id: 'WorktreeOrphan' });
export type WorktreeOrphan = z.output<typeof worktreeOrphanSchema>;

export const dataRoutes = defineRoutes({
  getUsage: {
    method: 'GET',
    path: '/api/data/usage',
    access: 'admin',
    summary: 'Get what takes disk space, and how long it is kept',
    errors: [503],
    response: dataUsageSchema,
  },
  prune: {
    method: 'POST',
    path: '/api/data/prune',
    access: 'admin',
    summary: 'Remove what is past its retention now',
    body: pruneDataSchema,
    response: pruneReportSchema,
  },
  getWorktreeOrphans: {
    method: 'GET',
    path: '/api/data/worktrees/orphans',
    access: 'admin',
    summary: 'List worktrees without a task, and tasks whose worktree is gone',
    response: z.object({ orphans: z.array(worktreeOrphanSchema) }),
  },
  removeWorktreeOrphans: {
    method: 'POST',
    path: '/api/data/worktrees/orphans/remove',
    access: 'admin',
    summary: 'Remove such worktrees in which nothing would be lost',
    response: z.object({ removed: z.array(worktreeOrphanSchema), kept: z.array(worktreeOrphanSchema) }),
  },
  archive: {
    method: 'POST',
    path: '/api/data/archive',
    access: 'admin',
    summary: 'Move old audit entries to an archive file',
    body: z.object({
      before: momentSchema
        .optional()
        .meta({ description: 'Entries before this time; 90 days ago unless given' }),
    }),
    response: z.object({
      archive: auditArchiveSchema.optional().meta({ description: 'Absent where no entry is that old' }),
    }),
  },
});

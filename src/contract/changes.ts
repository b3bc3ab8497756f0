import { z } from 'zod';
import { timestampSchema } from './primitives.ts';

/** Why a file is listed without its patch. */
export const withheldSchema = z.enum(['secret', 'not_kept', 'size']);

export const changedFileSchema = z
  .object({
    path: z.string().meta({ description: 'Relative to `directory`; absolute if it is outside of it' }),
    status: z.enum(['added', 'modified', 'deleted']),
    additions: z.int().optional().meta({ description: 'Lines; absent where there is no patch' }),
    deletions: z.int().optional(),
    isBinary: z.boolean(),
    patch: z
      .string()
      .optional()
      .meta({ description: 'Unified diff with Git headers, which `git apply` takes' }),
    withheld: withheldSchema.optional().meta({
      description:
        'Why the patch is missing: it holds credentials, its content was not kept, or it is too large',
    }),
    undoneAt: timestampSchema.optional().meta({ description: 'When the change was undone' }),
  })
  .meta({ id: 'ChangedFile' });
export type ChangedFile = z.output<typeof changedFileSchema>;

/** Why changes of a run may be missing. */
export const unkeptReasonSchema = z.enum([
  'agent',
  'no_git',
  'home',
  'too_many_files',
  'too_large',
  'too_slow',
  'interrupted',
  'failed',
  'mcp_tools',
]);
export type UnkeptReason = z.output<typeof unkeptReasonSchema>;

export const unkeptSchema = z
  .object({ reason: unkeptReasonSchema, message: z.string() })
  .meta({ id: 'UnkeptChanges' });
export type Unkept = z.output<typeof unkeptSchema>;

/** The turn of a conversation that changed files. */
export const changedTurnSchema = z
  .object({ id: z.string(), at: timestampSchema, message: z.string().optional() })
  .meta({ id: 'ChangedTurn', description: 'A turn that changed files, with the message that it answers' });

export const changesSchema = z
  .object({
    directory: z
      .string()
      .optional()
      .meta({ description: 'Root of the project that the files belong to; absent where nothing changed' }),
    turn: changedTurnSchema.optional(),
    files: z.array(changedFileSchema),
    additions: z.int(),
    deletions: z.int(),
    truncated: z.boolean().meta({
      description: 'Files or patches are left out because there are too many or they are too large',
    }),
    notKept: z.array(unkeptSchema).meta({ description: 'Why changes may be missing' }),
  })
  .meta({ id: 'Changes' });
export type Changes = z.output<typeof changesSchema>;

export const undoSchema = z.object({
  dryRun: z.boolean().default(false).meta({ description: 'Report what would be restored' }),
});

export const unrestoredReasonSchema = z.enum([
  'changed_since',
  'changed_meanwhile',
  'not_kept',
  'replaced',
  'forbidden',
  'failed',
]);
export type UnrestoredReason = z.output<typeof unrestoredReasonSchema>;

export const undoReportSchema = z
  .object({
    dryRun: z.boolean(),
    directory: z.string().optional(),
    turn: changedTurnSchema.optional(),
    restored: z.array(
      z.object({
        path: z.string(),
        action: z.enum(['restored', 'removed', 'unchanged']).meta({
          description: '`unchanged`: the file already was as it was before',
        }),
      }),
    ),
    notRestored: z.array(z.object({ path: z.string(), reason: unrestoredReasonSchema, message: z.string() })),
    notKept: z.array(unkeptSchema),
  })
  .meta({ id: 'UndoReport' });
export type UndoReport = z.output<typeof undoReportSchema>;

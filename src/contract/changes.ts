import { z } from 'zod';
import { approvalSchema } from './approvals.ts';
import { branchSchema, offsetSchema, queryInt, timestampSchema } from './primitives.ts';

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

/** A pull request at GitHub. */
export const pullRequestSchema = z
  .object({ url: z.string(), number: z.int() })
  .meta({ id: 'PullRequest', description: 'The pull request that was opened for the changes' });
export type PullRequest = z.output<typeof pullRequestSchema>;

/** The Git worktree in which a task worked. */
export const worktreeSchema = z
  .object({
    base: z.string().meta({ description: 'The commit at which it began' }),
    head: z.string().meta({ description: 'The commit that is checked out in it' }),
    branch: z.string(),
    path: z.string().optional().meta({ description: 'Absent once it is discarded' }),
    pullRequest: pullRequestSchema.optional(),
  })
  .meta({ id: 'Worktree' });

export const changesSchema = z
  .object({
    directory: z
      .string()
      .optional()
      .meta({ description: 'Root of the project that the files belong to; absent where nothing changed' }),
    turn: changedTurnSchema.optional(),
    worktree: worktreeSchema
      .optional()
      .meta({ description: 'Where the task worked in a worktree of its own' }),
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

/** A changed file without its patch. */
export const changedFileEntrySchema = changedFileSchema
  .omit({ patch: true })
  .extend({
    status: z.enum([...changedFileSchema.shape.status.options, 'renamed']),
    from: z
      .string()
      .optional()
      .meta({ description: 'The earlier path of a file that was renamed unchanged' }),
  })
  .meta({ id: 'ChangedFileEntry' });
export type ChangedFileEntry = z.output<typeof changedFileEntrySchema>;

export const changedFilesSchema = changesSchema
  .omit({ turn: true })
  .extend({
    files: z.array(changedFileEntrySchema),
    truncated: z.boolean().meta({ description: 'Files are left out because there are too many' }),
  })
  .meta({ id: 'ChangedFiles' });
export type ChangedFiles = z.output<typeof changedFilesSchema>;

export const filePatchQuerySchema = z.object({
  path: z.string().min(1).max(4096).meta({ description: 'As the list of changed files has it' }),
  offset: offsetSchema.default(0).meta({ description: 'In characters of the patch' }),
  limit: queryInt(1, 1_000_000)
    .default(200_000)
    .meta({ description: 'Characters; the part ends with a line where it can' }),
});
export type FilePatchQuery = z.output<typeof filePatchQuerySchema>;

export const filePatchSchema = z
  .object({
    file: changedFileEntrySchema,
    patch: z
      .string()
      .optional()
      .meta({ description: 'Absent where `withheld` says why, and of binary files' }),
    offset: z.int(),
    size: z.int().meta({ description: 'Characters of the whole patch' }),
    nextOffset: z.int().optional().meta({ description: 'Where the next part begins; absent at the end' }),
  })
  .meta({ id: 'FilePatch' });
export type FilePatch = z.output<typeof filePatchSchema>;

export const appliedChangesSchema = z
  .object({
    message: z.string(),
    status: z.enum(['applied', 'already_applied', 'unchanged']),
    checkout: z.string().meta({ description: 'Root of the checkout that has the changes now' }),
    files: z.int(),
  })
  .meta({ id: 'AppliedChanges' });
export type AppliedChanges = z.output<typeof appliedChangesSchema>;

export const commitChangesSchema = z.object({
  message: z
    .string()
    .trim()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: 'The title of the task unless set' }),
});
export const committedChangesSchema = z
  .object({
    message: z.string(),
    status: z.enum(['committed', 'unchanged']),
    branch: z.string(),
    commit: z.string().meta({ description: 'The commit that has the changes' }),
  })
  .meta({ id: 'CommittedChanges' });
export type CommittedChanges = z.output<typeof committedChangesSchema>;

const pushFields = {
  repository: z.string().meta({ description: '`owner/repo` at GitHub' }),
  branch: z.string(),
  commit: z.string().meta({ description: 'The commit that the branch has at GitHub' }),
  committed: z.boolean().meta({ description: 'Whether changes were committed first' }),
};
export const pushedChangesSchema = z
  .object({
    message: z.string(),
    status: z.enum(['pushed', 'already_pushed']),
    ...pushFields,
    pullRequest: pullRequestSchema.optional(),
  })
  .meta({ id: 'PushedChanges' });
export type PushedChanges = z.output<typeof pushedChangesSchema>;

/** The decision on which an earlier request waited. */
export const publishQuerySchema = z.object({
  approval: z.string().min(1).max(200).optional().meta({
    description:
      'The approval that an earlier answer named: answers what came of it, and asks for no other one',
  }),
});

/** The answer where a person has to decide first, because the work comes from text that svc does not trust. */
export const waitingPublicationSchema = z
  .object({
    message: z.string(),
    status: z.literal('waiting_for_approval'),
    ...pushFields,
    approval: approvalSchema.meta({
      description: 'Once it is allowed, svc pushes this commit; a later one needs another approval',
    }),
  })
  .meta({ id: 'WaitingPublication' });
export type WaitingPublication = z.output<typeof waitingPublicationSchema>;

export const openPullRequestSchema = z.object({
  title: z
    .string()
    .trim()
    .min(1)
    .max(256)
    .optional()
    .meta({ description: 'The title of the task unless set' }),
  body: z
    .string()
    .max(50_000)
    .optional()
    .meta({ description: 'Stands before what svc says of the task and its verification' }),
  draft: z.boolean().default(false),
  base: branchSchema.optional().meta({
    description: 'The branch to merge into; that of the task unless set, else the default branch',
  }),
});
export type OpenPullRequest = z.output<typeof openPullRequestSchema>;
export const openedPullRequestSchema = z
  .object({
    message: z.string(),
    status: z.enum(['created', 'existing']),
    pushed: z.boolean().meta({ description: 'Whether GitHub lacked commits of the branch' }),
    ...pushFields,
    base: z.string(),
    pullRequest: pullRequestSchema,
  })
  .meta({ id: 'OpenedPullRequest' });
export type OpenedPullRequest = z.output<typeof openedPullRequestSchema>;

export const discardChangesSchema = z.object({
  force: z.boolean().default(false).meta({ description: 'Also discard files that no snapshot can hold' }),
});
export const discardedChangesSchema = z
  .object({
    message: z.string(),
    status: z.enum(['discarded', 'unchanged']),
    snapshot: z.string().optional().meta({ description: 'The ref of the repository that keeps the files' }),
    teardownProblem: z.string().optional().meta({ description: 'Why its teardown failed' }),
  })
  .meta({ id: 'DiscardedChanges' });
export type DiscardedChanges = z.output<typeof discardedChangesSchema>;

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

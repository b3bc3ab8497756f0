import { z } from 'zod';
import { approvalSchema } from './approvals.ts';
import { syncProgressSchema } from './memory.ts';
import { notificationSchema } from './notifications.ts';
import { timestampSchema } from './primitives.ts';
import { queueStatusSchema } from './queue.ts';
import { runProgressSchema } from './run-progress.ts';
import { outputPieceSchema } from './task-output.ts';
import { listedTaskSchema, taskEventSchema } from './task.ts';

/** How often a client that watches topics gets a heartbeat. */
export const HEARTBEAT_MS = 15_000;
const MAX_TOPICS = 64;

/** What of the live feed a client can watch: a kind of message, or everything about one task. */
const liveTopicSchema = z.union([
  z.enum(['tasks', 'approvals', 'notifications', 'queue', 'memory', 'devices', 'agents']),
  z.templateLiteral(['task:', z.string().regex(/^[\w-]{1,100}$/)]),
]);
export type LiveTopic = z.output<typeof liveTopicSchema>;

/** The message from client to server: from then on, it receives these topics only. */
export const watchSchema = z
  .object({ watch: z.array(liveTopicSchema).max(MAX_TOPICS, `At most ${MAX_TOPICS} topics`) })
  .meta({ id: 'LiveWatch' });

/** A task in a message: a client that watches topics gets the fields of a row, one that watches none the sparse ones. */
export const liveTaskSchema = listedTaskSchema.meta({ id: 'LiveTask' });
export type LiveTask = z.output<typeof liveTaskSchema>;

/** One message of the live feed from server to client; callers receive only their own objects. */
export const liveMessageSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('hello'), at: timestampSchema, version: z.string() }),
    z.object({
      type: z.literal('task'),
      at: timestampSchema,
      task: liveTaskSchema,
      event: taskEventSchema,
    }),
    z.object({ type: z.literal('queue'), at: timestampSchema, status: queueStatusSchema }),
    z.object({ type: z.literal('approval'), at: timestampSchema, approval: approvalSchema }),
    z.object({ type: z.literal('memory'), at: timestampSchema, progress: syncProgressSchema }),
    z.object({ type: z.literal('notification'), at: timestampSchema, notification: notificationSchema }),
    // Only to clients that watch topics.
    z.object({ type: z.literal('watching'), at: timestampSchema, topics: z.array(liveTopicSchema) }),
    outputPieceSchema.extend({ type: z.literal('output'), at: timestampSchema, taskId: z.string() }),
    z.object({
      type: z.literal('progress'),
      at: timestampSchema,
      taskId: z.string(),
      progress: runProgressSchema,
    }),
    z.object({ type: z.literal('devices'), at: timestampSchema }),
    z.object({ type: z.literal('agents'), at: timestampSchema }),
    z.object({ type: z.literal('heartbeat'), at: timestampSchema }),
    z.object({ type: z.literal('error'), at: timestampSchema, message: z.string() }),
  ])
  .meta({ id: 'LiveMessage' });
export type LiveMessage = z.output<typeof liveMessageSchema>;

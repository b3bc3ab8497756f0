import { z } from 'zod';
import { approvalSchema } from './approvals.ts';
import { syncProgressSchema } from './memory.ts';
import { notificationSchema } from './notifications.ts';
import { timestampSchema } from './primitives.ts';
import { queueStatusSchema } from './queue.ts';
import { listedTaskSchema, taskEventSchema } from './task.ts';

/** Path of the WebSocket of the live feed; it needs a session. */
export const livePath = '/api/live';

/** One message of the live feed from server to client; callers receive only their own objects. */
export const liveMessageSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('hello'), at: timestampSchema }),
    z.object({
      type: z.literal('task'),
      at: timestampSchema,
      task: listedTaskSchema,
      event: taskEventSchema,
    }),
    z.object({ type: z.literal('queue'), at: timestampSchema, status: queueStatusSchema }),
    z.object({ type: z.literal('approval'), at: timestampSchema, approval: approvalSchema }),
    z.object({ type: z.literal('memory'), at: timestampSchema, progress: syncProgressSchema }),
    z.object({ type: z.literal('notification'), at: timestampSchema, notification: notificationSchema }),
  ])
  .meta({ id: 'LiveMessage' });
export type LiveMessage = z.output<typeof liveMessageSchema>;

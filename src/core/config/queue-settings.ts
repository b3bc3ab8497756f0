import { z } from 'zod';
import { define } from './define-setting.ts';
import { redisUrlSchema } from './service-urls.ts';

const count = (min: number, max: number) => z.int().min(min).max(max);
const name = z.string().trim().min(1).max(255);

/** BullMQ separates the parts of its keys with colons. */
const queueName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^:]*$/, 'Expected a name without colons');

/** How work is queued, how it shares the slots, and when it is tried again. */
export const queueSettings = {
  'queue.name': define({
    schema: () => queueName,
    default: 'ai-tasks',
    needsPro: true,
    description: 'The name of the task queue in mode pro',
  }),
  'queue.notificationName': define({
    schema: () => queueName,
    default: 'ai-task-notifications',
    needsPro: true,
    description: 'The name of the notification queue in mode pro',
  }),
  'queue.concurrency': define({
    schema: () => count(1, 1000),
    default: (mode) => (mode === 'pico' ? 2 : 10),
    environment: 'POOL_MAX_CONCURRENT',
    scope: 'daemon',
    description: 'Maximum number of tasks running at once, apart from agents with their own slots',
  }),
  'queue.concurrencyPerAgent': define({
    schema: () => z.record(name, count(1, 1000)).optional(),
    default: undefined,
    live: true,
    scope: 'daemon',
    description: 'Slots of their own for agents, by type; all others share queue.concurrency',
  }),
  'queue.interactiveConcurrency': define({
    schema: () => count(1, 1000),
    default: (mode) => (mode === 'pico' ? 8 : 32),
    live: true,
    scope: 'daemon',
    description: 'How many agentic messages run at the same time; no task takes their slots',
  }),
  'queue.maxConcurrentPerUser': define({
    schema: () => count(1, 1000).optional(),
    default: undefined,
    live: true,
    description: 'How many tasks of one user run at the same time',
  }),
  'queue.maxConcurrentPerUserAndAgent': define({
    schema: () => count(1, 1000).optional(),
    default: undefined,
    live: true,
    description: 'How many tasks of one user run at the same time with the same agent',
  }),
  'queue.userWeights': define({
    schema: () => z.record(name, count(1, 100)),
    default: {},
    live: true,
    description: 'How much of the queue users get in relation to others, by id or e-mail; 1 unless set',
  }),
  'queue.agingMs': define({
    schema: () => count(100, 86_400_000),
    default: 30_000,
    live: true,
    description: 'Milliseconds after which waiting work goes before the next higher priority once',
  }),
  'queue.notificationConcurrency': define({
    schema: () => count(1, 1000),
    default: 5,
    scope: 'daemon',
    needsPro: true,
    description: 'Concurrent notification deliveries of a daemon in mode pro',
  }),
  'queue.redis.url': define({
    schema: () => redisUrlSchema.optional(),
    default: undefined,
    environment: 'QUEUE_STORE_URL',
    scope: 'daemon',
    needsPro: true,
    hasPassword: true,
    description: 'The URL of Redis in mode pro, such as redis://redis.example.org:6379',
  }),
  'queue.retry.attempts': define({
    schema: () => count(1, 20),
    default: 3,
    live: true,
    description: 'Maximum number of attempts per task',
  }),
  'queue.retry.backoff': define({
    schema: () => count(0, 300_000),
    default: 1000,
    live: true,
    description: 'Delay before the second attempt, in milliseconds',
  }),
  'queue.retry.outage': define({
    schema: () => count(0, 30 * 86_400_000),
    default: 86_400_000,
    live: true,
    description:
      'How long a task waits for a service that is away or overloaded before that counts as an attempt, in milliseconds',
  }),
  'queue.retry.type': define({
    schema: () => z.enum(['exponential', 'fixed']),
    default: 'exponential',
    live: true,
    description: 'How the delay grows: fixed or exponential',
  }),
};

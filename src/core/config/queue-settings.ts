import { z } from 'zod';
import { define } from './define-setting.ts';

const count = (min: number, max: number) => z.int().min(min).max(max);
const name = z.string().trim().min(1).max(255);

/** How work shares the slots of the queue. */
export const queueSettings = {
  'queue.concurrencyPerAgent': define({
    schema: () => z.record(name, count(1, 1000)).optional(),
    default: undefined,
    live: true,
    description: 'Slots of their own for agents, by type; all others share queue.concurrency',
  }),
  'queue.interactiveConcurrency': define({
    schema: () => count(1, 1000),
    default: (mode) => (mode === 'pico' ? 8 : 32),
    live: true,
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
};

import { defineCommand, defineNoun } from '../program/define-command.ts';
import { json } from '../program/shared-options.ts';

const status = defineCommand({
  name: 'status',
  summary: 'Show waiting and running tasks',
  examples: ['svc queue status'],
  options: [json],
  run: async ({ cli, options }) => (await import('./queue/show-queue.ts')).showQueue(cli, options),
});

const pause = defineCommand({
  name: 'pause',
  summary: 'Pause the queue; running tasks continue',
  examples: ['svc queue pause'],
  options: [json],
  run: async ({ cli, options }) => (await import('./queue/show-queue.ts')).setPaused(cli, 'pause', options),
});

const resume = defineCommand({
  name: 'resume',
  summary: 'Resume the queue',
  examples: ['svc queue resume'],
  options: [json],
  run: async ({ cli, options }) => (await import('./queue/show-queue.ts')).setPaused(cli, 'resume', options),
});

export const queue = defineNoun({
  name: 'queue',
  summary: 'Show, pause and resume the queue',
  examples: ['svc queue status', 'svc queue pause', 'svc queue resume'],
  commands: [status, pause, resume],
});

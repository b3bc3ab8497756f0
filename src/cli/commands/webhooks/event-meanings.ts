import type { WebhookEvent } from '../../../contract/webhooks.ts';

/** What each event tells of. */
export const eventMeanings: Record<WebhookEvent, string> = {
  'task.created': 'a task is there',
  'task.completed': 'a task is done',
  'task.failed': 'a task failed for good',
  'task.cancelled': 'a task was cancelled',
  'agent.started': 'an agent began with a task',
  'agent.finished': 'an agent ended its attempt',
};
export const webhookEvents = Object.keys(eventMeanings) as WebhookEvent[];

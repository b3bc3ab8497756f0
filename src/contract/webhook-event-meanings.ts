import type { WebhookEvent } from './webhooks.ts';

/** What each event reports. */
export const eventMeanings: Record<WebhookEvent, string> = {
  'task.created': 'a task was created',
  'task.completed': 'a task completed',
  'task.failed': 'a task failed in all its attempts',
  'task.cancelled': 'a task was cancelled',
  'task.waiting': 'a task waits for a service, a usage limit, an agent or an approval',
  'agent.started': 'an agent started an attempt',
  'agent.finished': 'an agent finished an attempt',
  'approval.requested': 'a tool call needs approval',
  'approval.decided': 'an approval was approved or denied, or it expired',
};

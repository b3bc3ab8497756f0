import type { DeliveredEvent, Webhook, WebhookDelivery } from '../../contract/webhooks.ts';
import type { WebhookRow } from '../storage/rows/webhooks.ts';
import type { ListedDelivery } from './webhook-delivery-store.ts';

/** The webhook as returned by the API; its token is masked, and its `secret` except when it is shown once. */
export const toWebhook = (
  row: WebhookRow,
  { secret, token }: { secret: string; token: string | undefined },
  now: Date,
): Webhook => ({
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events) as Webhook['events'],
  format: row.format as Webhook['format'],
  active: row.status === 'active',
  status: row.status as Webhook['status'],
  secret,
  ...(token !== undefined && { token }),
  ...(row.previous_until !== null &&
    row.previous_until > now.toISOString() && { previousSecretUntil: row.previous_until }),
  ...(row.description !== null && { description: row.description }),
  createdAt: row.created_at,
  ...(row.last_delivery_at !== null && { lastDelivery: row.last_delivery_at }),
  deliveryCount: row.delivery_count,
  failureCount: row.failure_count,
  ...(row.failing_since !== null && { failingSince: row.failing_since }),
});

export const toDelivery = (row: ListedDelivery): WebhookDelivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  event: row.event as DeliveredEvent,
  ...(row.task_id !== null && { taskId: row.task_id }),
  ...(row.approval_id !== null && { approvalId: row.approval_id }),
  status: row.status as WebhookDelivery['status'],
  attempt: row.attempt,
  ...(row.status_code !== null && { statusCode: row.status_code }),
  ...(row.response_body !== null && { responseBody: row.response_body }),
  ...(row.error !== null && { error: row.error }),
  ...(row.duration_ms !== null && { durationMs: row.duration_ms }),
  at: row.at,
  ...(row.next_attempt_at !== null && { nextAttemptAt: row.next_attempt_at }),
  attempts: JSON.parse(row.history) as WebhookDelivery['attempts'],
});

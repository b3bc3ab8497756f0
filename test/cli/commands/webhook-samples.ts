import type { InboundDelivery } from '../../../src/contract/inbound.ts';
import type { Webhook, WebhookDelivery, WebhookEvent } from '../../../src/contract/webhooks.ts';

export const allEvents: WebhookEvent[] = [
  'task.created',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.waiting',
  'agent.started',
  'agent.finished',
  'approval.requested',
  'approval.decided',
];
export const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000 - 500).toISOString();
export const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
export const idOf = (prefix: string, number: number) =>
  `${prefix}_0199a1b${number}-0000-7000-8000-00000000000${number}`;

export const webhook = (number: number, changes: Partial<Webhook> = {}): Webhook => ({
  id: idOf('wh', number),
  url: 'https://example.com/hook',
  events: ['task.completed', 'task.failed'],
  format: 'json',
  active: true,
  status: 'active',
  secret: '…wxyz',
  createdAt: '2026-05-01T12:00:00.000Z',
  deliveryCount: 7,
  failureCount: 0,
  ...changes,
});
export const delivery = (number: number, changes: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  id: idOf('dlv', number),
  webhookId: idOf('wh', 1),
  event: 'task.completed',
  status: 'delivered',
  attempt: 1,
  statusCode: 200,
  durationMs: 40,
  at: ago(3),
  attempts: [],
  ...changes,
});
export const cameIn = (number: number, changes: Partial<InboundDelivery> = {}): InboundDelivery => ({
  id: idOf('inb', number),
  provider: 'codehost',
  deliveryId: `guid-${number}`,
  event: 'issues',
  action: 'labeled',
  status: 'accepted',
  taskId: 'task_0199a1b9-0000-7000-8000-000000000009',
  copies: 1,
  bytes: 512,
  receivedAt: ago(3),
  lastReceivedAt: ago(3),
  canReplay: true,
  ...changes,
});

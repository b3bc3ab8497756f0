import type { AuditLog } from '../../audit/audit-log.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { NotificationService } from '../../notifications/notification-service.ts';
import type { Outbound } from '../../outbound/outbound-fetch.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Database } from '../../storage/database.ts';
import type { Surroundings } from '../../surroundings.ts';
import { WebhookDeliverer } from './webhook-deliverer.ts';
import { WebhookDeliveryStore } from './webhook-delivery-store.ts';
import { WebhookOutbox } from './webhook-outbox.ts';

export interface WebhookParts {
  database: Database;
  bus: EventBus;
  keys: KeyRing;
  audit: AuditLog;
  notifications: NotificationService;
  outbound: Outbound;
  surroundings: Surroundings;
  log: Log;
}

/** The webhooks that are told of events, and what tells them. */
export async function joinWebhooks(parts: WebhookParts) {
  const store = new WebhookDeliveryStore(parts.database);
  const webhookDeliverer = new WebhookDeliverer({
    ...parts,
    store,
    fetch: parts.outbound.fetch,
    onFailing: () => undefined,
  });
  return { webhookOutbox: new WebhookOutbox(), webhookDeliverer };
}

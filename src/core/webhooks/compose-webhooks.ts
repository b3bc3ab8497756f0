import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { LanePeers } from '../outbound/lane-owner.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { failUnauthorizedDeliveries } from './fail-unauthorized-deliveries.ts';
import { WebhookBacklogs } from './webhook-backlogs.ts';
import { WebhookDeliverer } from './webhook-deliverer.ts';
import { WebhookDeliveryRetention } from './webhook-delivery-retention.ts';
import { WebhookDeliveryStore } from './webhook-delivery-store.ts';
import { WebhookOutbox } from './webhook-outbox.ts';
import { WebhookRegistry } from './webhook-registry.ts';
import { WebhookService } from './webhook-service.ts';
import { WebhookStore } from './webhook-store.ts';

export interface WebhookDeps {
  database: Database;
  bus: EventBus;
  config: Config;
  env: Record<string, string | undefined>;
  keys: KeyRing;
  audit: AuditLog;
  notifications: NotificationService;
  outbound: Outbound;
  telemetry: Telemetry | undefined;
  runtime: Runtime;
  log: Log;
  peers: LanePeers | undefined;
  /** Reports an unexpected error that no caller receives. */
  reportBug: (error: unknown) => void;
}

/** Wires outbound webhooks and their delivery. */
export async function composeWebhooks(deps: WebhookDeps) {
  const { database, bus, outbound, runtime, log, reportBug } = deps;
  const baseUrl = () => deps.config.get('server.baseUrl');
  const store = new WebhookStore(database);
  const deliveries = new WebhookDeliveryStore(database);
  const registry = await WebhookRegistry.load({ ...deps, store });
  const backlogs = new WebhookBacklogs({ ...deps, store, isInCluster: deps.peers !== undefined });
  bus.onRemote('webhook_changed', ({ id }) => backlogs.forget(id));
  const deliverer = new WebhookDeliverer({
    ...deps,
    store: deliveries,
    fetch: outbound.fetch,
    home: deps.env['HOME'],
    baseUrl,
    // The backlog limit applies to failing webhooks only.
    onFailing: (webhookId) => backlogs.forget(webhookId),
  });
  const endRights = () =>
    failUnauthorizedDeliveries(database, runtime.now().toISOString()).catch((error: unknown) => {
      // The disk may be full: the next start retries.
      if (error instanceof AppError)
        log.warn({ reason: error.message }, 'deliveries could not be given up yet');
      else reportBug(error);
    });
  bus.onLocal('rights_changed', () => void endRights());
  await endRights();
  const retention = new WebhookDeliveryRetention(database, deps.config);
  const wired = { ...deps, store, deliveries, deliverer, registry, backlogs, baseUrl };
  const services = { webhooks: new WebhookService(wired), webhookOutbox: new WebhookOutbox(wired) };
  return {
    services,
    lifecycle: {
      start: () => deliverer.start(),
      stop: () => deliverer.stop(),
      tidy: { everyMs: TIDY_EVERY_MS, run: () => retention.removeOld(runtime.now()), shared: 'deliveries' },
    },
  } satisfies Feature<typeof services>;
}

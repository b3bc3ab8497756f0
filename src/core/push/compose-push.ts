import type { ApprovalOutbox } from '../approvals/approval-outbox.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { LanePeers } from '../outbound/lane-owner.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskOutbox } from '../tasks/task-outbox.ts';
import { PushDeliverer } from './push-deliverer.ts';
import { PushOutbox } from './push-outbox.ts';
import { PushRegistry } from './push-registry.ts';
import { PushService } from './push-service.ts';
import { PushStore } from './push-store.ts';
import { vapidKeys } from './vapid-keys.ts';

/** For a daemon that has no public address: push services want one to write to. */
const NO_ADDRESS = 'https://svc.invalid';

export interface PushDeps {
  database: Database;
  bus: EventBus;
  config: Config;
  keys: KeyRing;
  outbound: Outbound;
  webhookOutbox: TaskOutbox & ApprovalOutbox;
  agentOutbox: ApprovalOutbox;
  runtime: Runtime;
  log: Log;
  peers: LanePeers | undefined;
  /** Reports an unexpected error that no caller receives. */
  reportBug: (error: unknown) => void;
}

/** Wires notifications in browsers; its outbox tells the webhooks and other agents too. */
export async function composePush(deps: PushDeps) {
  const { database, bus, config, keys, outbound, webhookOutbox, agentOutbox, reportBug } = deps;
  const store = new PushStore(database);
  const registry = await PushRegistry.load({ ...deps, store });
  const vapid = vapidKeys(keys);
  const subject = () => {
    const address = config.get('server.baseUrl');
    return address?.startsWith('https:') ? address : NO_ADDRESS;
  };
  const deliverer = new PushDeliverer({ ...deps, store, registry, vapid, subject, fetch: outbound.fetch });
  const push = new PushService({ ...deps, store, registry, deliverer, vapid });
  const pushOutbox = new PushOutbox({ ...deps, store, registry, deliverer });
  const outbox: TaskOutbox & ApprovalOutbox = {
    add: (transaction, happening) => {
      webhookOutbox.add(transaction, happening);
      pushOutbox.add(transaction, happening);
    },
    addApproval: async (transaction, row) => {
      await webhookOutbox.addApproval(transaction, row);
      await pushOutbox.addApproval(transaction, row);
      await agentOutbox.addApproval(transaction, row);
    },
  };
  const forget = () =>
    push.removeOld().catch((error: unknown) => {
      // The disk may be full: nothing is sent without a session, and the next round tries again.
      if (!(error instanceof AppError)) reportBug(error);
    });
  const stopListening = bus.onLocal('session_ended', () => void forget());
  const services = { push, outbox };
  return {
    services,
    lifecycle: {
      start: () => deliverer.start(),
      stop: () => {
        stopListening();
        return deliverer.stop();
      },
      tidy: { everyMs: TIDY_EVERY_MS, run: () => push.removeOld(), shared: 'browsers' },
    },
  } satisfies Feature<typeof services>;
}

import { setTimeout as delay } from 'node:timers/promises';
import type { PlantedFault } from './planted-fault.ts';
import { replaceMethod } from './replace-method.ts';
import { tampered } from './tampered.ts';
import { writeBeside } from './write-beside.ts';

/** For so long a reader who looks too early does not see what others have written. */
const STALE_MS = 300;

// Loaded when a fault is planted, so that the points at which the daemon dies are in what they import.
const outbox = async () =>
  (await import('../../../src/core/webhooks/webhook-outbox.ts')).WebhookOutbox.prototype;
const deliveries = async () =>
  (await import('../../../src/core/webhooks/webhook-delivery-store.ts')).WebhookDeliveryStore.prototype;
const inbound = async () =>
  (await import('../../../src/core/integrations/inbound/inbound-store.ts')).InboundStore.prototype;

/** Bugs in what goes out and what comes in that the rig must catch. */
export const outsideFaults: Record<string, PlantedFault> = {
  'outbox-apart': {
    what: 'what webhooks are to be told is stored after the change that it tells of, not with it',
    load: 'outside',
    points: ['after-commit'],
    async plant() {
      const write = await writeBeside();
      replaceMethod(await outbox(), 'add', (add) => (transaction, happening) => {
        transaction.afterCommit(() => void write(async (later) => add(later, happening)));
      });
    },
  },
  'handed-too-early': {
    what: 'what is to be sent is handed over before it is committed',
    load: 'outside',
    async plant() {
      const { GroupCommit } = await import('../../../src/core/storage/sqlite/group-commit.ts');
      const early: (() => void)[] = [];
      replaceMethod(
        await outbox(),
        'add',
        (add) => (transaction, happening) =>
          add(tampered(transaction, { afterCommit: (callback) => void early.push(callback) }), happening),
      );
      replaceMethod(
        GroupCommit.prototype,
        'run',
        (run) => (work) =>
          run(async (transaction) => {
            const value = await work(transaction);
            const told = early.splice(0);
            for (const callback of told) callback();
            if (told.length > 0) await delay(10);
            return value;
          }),
      );
    },
  },
  'told-two-times': {
    what: 'an event leaves two deliveries for a webhook',
    load: 'outside',
    async plant() {
      replaceMethod(await outbox(), 'add', (add) => (transaction, happening) => {
        add(transaction, happening);
        if (happening.events.some(({ type }) => type === 'completed')) add(transaction, happening);
      });
    },
  },
  'new-id-after-start': {
    what: 'what is taken up at the start is sent under a new id',
    load: 'outside',
    points: ['delivery-sent', 'before-recorded'],
    async plant() {
      const write = await writeBeside();
      replaceMethod(await deliveries(), 'withPending', (withPending) => async (...args) => {
        await write(async ({ db }) => {
          await db
            .updateTable('webhook_deliveries')
            .set((is) => ({ id: is('id', '||', 'x') }))
            .where('status', '=', 'pending')
            .execute();
        });
        return withPending(...args);
      });
    },
  },
  'new-bytes': {
    what: 'the body is built again for each attempt',
    load: 'outside',
    async plant() {
      replaceMethod(await deliveries(), 'findToSend', (findToSend) => async (id) => {
        const found = await findToSend(id);
        const timestamp = new Date().toISOString();
        return found && { ...found, body: JSON.stringify({ ...JSON.parse(found.body), timestamp }) };
      });
    },
  },
  'recorded-before-sent': {
    what: 'a delivery counts as delivered before it is sent',
    load: 'outside',
    points: ['after-commit'],
    async plant() {
      const write = await writeBeside();
      replaceMethod(await deliveries(), 'findToSend', (findToSend, store) => async (id) => {
        const found = await findToSend(id);
        const at = new Date().toISOString();
        const change = {
          status: 'delivered',
          attempt: 1,
          history: JSON.stringify([{ at, statusCode: 200, durationMs: 1 }]),
          status_code: 200,
          response_body: null,
          error: null,
          duration_ms: 1,
          at,
          next_attempt_at: null,
          ended_at: at,
        };
        if (found)
          await write(async (transaction) => {
            await store.update(transaction, id, found.attempt, change);
            await transaction.db
              .updateTable('webhooks')
              .set((is) => ({ delivery_count: is('delivery_count', '+', 1) }))
              .where('id', '=', found.webhook_id)
              .execute();
          });
        return found;
      });
    },
  },
  'left-behind': {
    what: 'a start does not take up what has not been sent',
    load: 'outside',
    points: ['delivery-sent', 'after-recorded'],
    async plant() {
      replaceMethod(await deliveries(), 'withPending', () => async () => []);
    },
  },
  'failing-unheard': {
    what: 'that a webhook fails is told after it is stored, not with it',
    load: 'outside',
    points: ['after-failing'],
    async plant() {
      const { NotificationService } = await import('../../../src/core/notifications/notification-service.ts');
      const write = await writeBeside();
      replaceMethod(NotificationService.prototype, 'add', (add) => (transaction, notification) => {
        if (notification.type !== 'webhook_failing') return add(transaction, notification);
        transaction.afterCommit(() => void write(async (later) => add(later, notification)));
      });
    },
  },
  'copies-unseen': {
    what: 'whether a delivery came before is looked at outside of the transaction of its task',
    load: 'outside',
    async plant() {
      const { ClaimStore } = await import('../../../src/core/integrations/inbound/claim-store.ts');
      const asked = new Map<string, number>();
      const isStale = (what: string) => {
        const first = asked.get(what) ?? Date.now();
        asked.set(what, first);
        return Date.now() - first < STALE_MS;
      };
      replaceMethod(
        await inbound(),
        'findKnown',
        (findKnown) => async (transaction, delivery) =>
          isStale(delivery.bodyHash) ? undefined : findKnown(transaction, delivery),
      );
      replaceMethod(
        ClaimStore.prototype,
        'findOpen',
        (findOpen) => async (transaction, provider, key) =>
          isStale(key) ? undefined : findOpen(transaction, provider, key),
      );
    },
  },
  'entry-apart': {
    what: 'what came of a delivery is written down after its task, not with it',
    load: 'outside',
    points: ['after-inbound'],
    async plant() {
      const write = await writeBeside();
      replaceMethod(await inbound(), 'insert', (insert) => async (_, row) => {
        // Of two copies both may have none.
        setTimeout(() => void write(async (later) => insert(later, row)).catch(() => undefined));
      });
    },
  },
  'schedule-apart': {
    what: 'that a schedule has run is stored after its task, not with it',
    load: 'outside',
    points: ['after-scheduled'],
    async plant() {
      const { ScheduleStore } = await import('../../../src/core/schedules/schedule-store.ts');
      const write = await writeBeside();
      replaceMethod(ScheduleStore.prototype, 'update', (update) => async (_, row) => {
        setTimeout(() => void write(async ({ db }) => void (await update(db, row))));
        return true;
      });
    },
  },
};

// STAND-IN: replaced by the deliverer that keeps trying.
import { OutboundError } from '../../outbound/outbound-error.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import { signatureHeaders } from '../../outbound/webhook-signature.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Database } from '../../storage/database.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { WebhookDeliveryStore } from './webhook-delivery-store.ts';

export interface WebhookDelivererParts {
  database: Database;
  store: WebhookDeliveryStore;
  fetch: OutboundFetch;
  keys: KeyRing;
  surroundings: Surroundings;
  /** Called when a webhook was given up, after it is stored. */
  onFailing: (webhookId: string) => void;
}
export interface WaitingDelivery {
  id: string;
  webhookId: string;
  attempts: number;
  /** Wall-clock milliseconds. */
  dueAt: number;
}

/** Sends once, when it is told to. */
export class WebhookDeliverer {
  readonly #parts: WebhookDelivererParts;
  constructor(parts: WebhookDelivererParts) {
    this.#parts = parts;
  }

  start(): void {}
  async stop(): Promise<void> {}
  add(_delivery: WaitingDelivery): void {}
  async resume(_webhookId: string): Promise<void> {}

  async sendNow(id: string): Promise<void> {
    const { database, store, fetch, keys, surroundings } = this.#parts;
    const delivery = await store.find(id);
    if (!delivery) return;
    const { url, secret } = await database.read
      .selectFrom('webhooks')
      .select(['url', 'secret'])
      .where('id', '=', delivery.webhook_id)
      .executeTakeFirstOrThrow();
    const sentAt = surroundings.now();
    const started = surroundings.monotonic();
    const key = keys.box.open(secret, `webhooks:${delivery.webhook_id}`);
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders({ id, sentAt, body: delivery.body, secret: key }),
      },
      body: delivery.body,
      timeoutMs: 10_000,
      maxBytes: 65_536,
    }).catch((error: unknown) => {
      if (error instanceof OutboundError) return error;
      throw error;
    });
    const durationMs = surroundings.monotonic() - started;
    const said = answer instanceof OutboundError ? { error: answer.message } : { statusCode: answer.status };
    const isDelivered = said.statusCode !== undefined && said.statusCode >= 200 && said.statusCode <= 299;
    const at = sentAt.toISOString();
    const history = [...(JSON.parse(delivery.history) as object[]), { at, ...said, durationMs }];
    await database.write(({ db }) =>
      db
        .updateTable('webhook_deliveries')
        .set({
          at,
          attempt: delivery.attempt + 1,
          status: isDelivered ? 'delivered' : 'failed',
          history: JSON.stringify(history),
          status_code: said.statusCode ?? null,
          error: said.error ?? null,
          duration_ms: durationMs,
          next_attempt_at: null,
          ended_at: at,
        })
        .where('id', '=', id)
        .execute(),
    );
  }
}

import { hash } from 'node:crypto';
import type { InboundAnswer, InboundDelivery, ListInboundQuery } from '../../../contract/inbound.ts';
import type { Vendor } from '../../../contract/vendors.ts';
import type { Caller } from '../../auth/caller.ts';
import type { ClientInfo } from '../../auth/session-service.ts';
import type { Config } from '../../config/config.ts';
import { environmentNameOf } from '../../config/settings.ts';
import { AppError } from '../../errors.ts';
import { addressKey, type RateLimits } from '../../limits/rate-limits.ts';
import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime.ts';
import { deliveryIdOf } from './delivery-id.ts';
import type { Delivery } from './delivery-log.ts';
import { parsePayload, readPayload } from './inbound-payload.ts';
import { isSigned } from './inbound-signature.ts';
import { type InboundStore, senderOf, toInboundDelivery } from './inbound-store.ts';
import { outsideWindow } from './replay-window.ts';
import { rulesOf } from './source-rules.ts';
import type { ReadSource, SourceEvent, SourceHeaders } from './source-work.ts';
import type { WorkIntake } from './work-intake.ts';

const failedSignatures = {
  max: 20,
  windowMs: 60_000,
  message: 'Too many webhooks with an invalid signature. Try again later.',
};

export interface InboundServiceDeps {
  store: InboundStore;
  intake: WorkIntake;
  readers: Record<Vendor, () => Promise<ReadSource>>;
  config: Config;
  limits: RateLimits;
  runtime: Runtime;
  log: Log;
}
/** A vendor's request as received. */
export interface Receipt {
  headers: SourceHeaders;
  body: Buffer;
  /** The sender's IP address. */
  address: string;
}

/** Receives webhooks from GitHub, Jira and Linear and creates tasks from those that request work. */
export class InboundService {
  readonly #deps: InboundServiceDeps;
  /** Those that were loaded: an import that is repeated is resolved again. */
  readonly #loaded: Partial<Record<Vendor, ReadSource>> = {};

  constructor(deps: InboundServiceDeps) {
    this.#deps = deps;
  }

  /** Verifies the signature before parsing; deliveries with an invalid signature are not stored. */
  async receive(provider: Vendor, receipt: Receipt): Promise<InboundAnswer> {
    await this.#verify(provider, receipt);
    const { headers, body } = receipt;
    const { runtime } = this.#deps;
    const contentType = headers['content-type'];
    const payload = readPayload(typeof contentType === 'string' ? contentType : undefined, body);
    const now = runtime.now();
    const bodyHash = hash('sha256', body);
    const delivery: Delivery = {
      id: runtime.newId('inb'),
      provider,
      deliveryId: deliveryIdOf(provider, headers, bodyHash),
      bodyHash,
      bytes: body.length,
      text: payload.text,
      receivedAt: now.toISOString(),
      refusal: outsideWindow(provider, payload.value, now),
    };
    return this.#deps.intake.take(delivery, await this.#read(provider, headers, payload.value));
  }

  /** Processes a stored delivery as if it had just arrived; an unfinished task for the same work still makes it a duplicate. */
  async replay(caller: Caller, id: string, client: ClientInfo): Promise<InboundAnswer> {
    const { runtime } = this.#deps;
    const row = await this.#find(id);
    if (row.payload === null)
      throw new AppError(
        'wrong_state',
        'The body of this delivery is no longer stored. Ask the sender to deliver it again.',
      );
    const provider = senderOf(row);
    const delivery: Delivery = {
      id: runtime.newId('inb'),
      provider,
      deliveryId: row.delivery_id,
      bodyHash: row.body_hash,
      bytes: row.bytes,
      text: row.payload,
      receivedAt: runtime.now().toISOString(),
      replay: { of: row.id, caller, client },
    };
    // The entry stores the event name, which the payload lacks.
    const headers = { 'x-github-event': row.event };
    return this.#deps.intake.take(delivery, await this.#read(provider, headers, parsePayload(row.payload)));
  }

  async list(query: ListInboundQuery) {
    const { rows, total } = await this.#deps.store.list(query);
    return { deliveries: rows.map(toInboundDelivery), total, limit: query.limit, offset: query.offset };
  }

  async get(id: string): Promise<{ delivery: InboundDelivery; payload?: ReturnType<typeof parsePayload> }> {
    const { payload, ...row } = await this.#find(id);
    const delivery = toInboundDelivery({ ...row, has_payload: payload === null ? 0 : 1 });
    return { delivery, ...(payload !== null && { payload: parsePayload(payload) }) };
  }

  /** Limits failures only: valid deliveries may come from the same address. */
  async #verify(provider: Vendor, receipt: Receipt): Promise<void> {
    const { config, limits, log } = this.#deps;
    const setting = `webhooks.${provider}.signingSecret` as const;
    const secret = config.secret(setting);
    if (!secret)
      throw new AppError(
        'unavailable',
        `No signing secret is set for these webhooks. Set one: svc config set ${setting}, or ${environmentNameOf(setting)}`,
        { isLasting: true },
      );
    if (isSigned(provider, receipt, secret)) return;
    await limits.take('webhook signature', addressKey(receipt.address), failedSignatures);
    log.warn({ provider, address: receipt.address }, 'rejected a webhook with an invalid signature');
    throw new AppError('forbidden', 'Invalid webhook signature');
  }

  async #read(provider: Vendor, headers: SourceHeaders, payload: object): Promise<SourceEvent> {
    const { config } = this.#deps;
    const read = (this.#loaded[provider] ??= await this.#deps.readers[provider]());
    return read({ headers, payload }, (context) => rulesOf(config, provider, context));
  }

  async #find(id: string) {
    const row = await this.#deps.store.find(id);
    if (!row) throw new AppError('not_found', 'Delivery not found');
    return row;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Counter } from '../metrics/metric-families.ts';
import type { OutboundFetch, OutboundResponse } from '../outbound/outbound-fetch.ts';
import { readRetryAfter } from '../outbound/retry-after.ts';
import type { Runtime } from '../runtime.ts';
import type { OtlpProtocol, SignalSettings } from './otel-settings.ts';
import { rejectedIn } from './otlp-answer.ts';
import { otlpRequests } from './otlp-schema.ts';
import { encodeMessage } from './protobuf.ts';

const compress = promisify(gzip);
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
const MAX_ATTEMPTS = 5;
const MAX_ANSWER_BYTES = 64 * 1024;
const contentTypes: Record<OtlpProtocol, string> = {
  'http/protobuf': 'application/x-protobuf',
  'http/json': 'application/json',
};

export interface OtlpSenderDeps {
  signal: 'traces' | 'metrics';
  settings: SignalSettings;
  fetch: OutboundFetch;
  runtime: Pick<Runtime, 'now' | 'random'>;
  log: Log;
  /** Counts what was exported and what was dropped. */
  count: Pick<Counter, 'add'>;
  /** Ends attempts and waits. */
  stopping: AbortSignal;
  /** Default: 1 s; doubles with each retry. */
  firstDelayMs?: number;
}

type Attempt =
  | { isDone: true; rejected: number }
  | { isDone: false; reason: string; waitMs?: number | undefined };

/** Sends OTLP requests, and retries those that a receiver cannot take at the moment. */
export class OtlpSender {
  readonly #deps: OtlpSenderDeps;
  #isFailing = false;

  constructor(deps: OtlpSenderDeps) {
    this.#deps = deps;
  }

  /** Takes the JSON form of a request. Never rejects; what cannot be sent is counted as dropped. */
  async send(request: object, items: number): Promise<void> {
    const { signal, count } = this.#deps;
    const result = await this.#sendWithRetries(request).catch((error: unknown) => messageOf(error));
    if (typeof result === 'string') {
      count.add({ signal, outcome: 'dropped' }, items);
      this.#report(result);
      return;
    }
    const rejected = Math.min(items, result.rejected);
    if (rejected > 0) count.add({ signal, outcome: 'dropped' }, rejected);
    if (items > rejected) count.add({ signal, outcome: 'exported' }, items - rejected);
    if (rejected > 0) this.#report('the receiver refused a part');
    else this.#recover();
  }

  async #sendWithRetries(request: object): Promise<{ rejected: number } | string> {
    const { runtime, stopping, firstDelayMs = FIRST_DELAY_MS } = this.#deps;
    const body = await this.#encode(request);
    for (let attempt = 1; ; attempt++) {
      const result = await this.#attempt(body);
      if (result.isDone) return result;
      const { reason, waitMs } = result;
      if (waitMs === undefined || attempt === MAX_ATTEMPTS || stopping.aborted) return reason;
      // Spread, so that daemons do not come back together.
      const backoff = firstDelayMs * 2 ** (attempt - 1) * (0.5 + runtime.random());
      await delay(Math.min(MAX_DELAY_MS, Math.max(waitMs, backoff)), undefined, {
        signal: stopping,
        ref: false,
      });
    }
  }

  async #encode(request: object): Promise<Uint8Array<ArrayBuffer>> {
    const { settings, signal } = this.#deps;
    const bytes =
      settings.protocol === 'http/json'
        ? Buffer.from(JSON.stringify(request))
        : encodeMessage(otlpRequests[signal], request);
    return settings.isCompressed ? compress(bytes) : bytes;
  }

  async #attempt(bytes: Uint8Array<ArrayBuffer>): Promise<Attempt> {
    const { settings, fetch, runtime, stopping } = this.#deps;
    let response: OutboundResponse;
    try {
      response = await fetch(settings.url, {
        method: 'POST',
        headers: {
          ...settings.headers,
          'content-type': contentTypes[settings.protocol],
          ...(settings.isCompressed && { 'content-encoding': 'gzip' }),
        },
        bytes,
        // The answer may be protobuf: one character for each byte.
        decode: (answer) => Buffer.from(answer).toString('latin1'),
        timeoutMs: settings.timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
        signal: stopping,
      });
    } catch (error) {
      return { isDone: false, reason: messageOf(error), waitMs: 0 };
    }
    const { status, headers, text } = response;
    if (status >= 200 && status <= 299) {
      const answer = Buffer.from(text, 'latin1');
      return { isDone: true, rejected: rejectedIn(answer, headers.get('content-type')) };
    }
    const waitMs = readRetryAfter(headers.get('retry-after'), runtime.now().getTime()) ?? 0;
    const reason = `the receiver answered ${status}`;
    return { isDone: false, reason, ...(retried.has(status) && { waitMs }) };
  }

  /** Once for an outage: what fails every few seconds would fill the log. */
  #report(reason: string): void {
    const { log, signal } = this.#deps;
    const text = `telemetry could not be exported (${signal})`;
    if (this.#isFailing) log.debug({ reason }, text);
    else log.warn({ reason }, text);
    this.#isFailing = true;
  }

  #recover(): void {
    if (this.#isFailing) this.#deps.log.info({}, `telemetry is exported again (${this.#deps.signal})`);
    this.#isFailing = false;
  }
}

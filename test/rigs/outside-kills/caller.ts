import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';

/** A daemon that lives and does not answer for so long is a violation. */
const ANSWER_MS = 30_000;
/** Between two tries of the same request. */
const PAUSE_MS = 80;

export interface Answer {
  status: number;
  body: unknown;
}
export interface Call {
  method?: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
  /** Statuses that the caller can deal with; any other is noted as odd. */
  expects: readonly number[];
}

/** A client that sends a request again until it is answered, as careful programs do. */
export class Caller {
  readonly ledger: Ledger;
  readonly #url: string;
  readonly #credentials: () => Record<string, string>;
  constructor(url: string, ledger: Ledger, credentials: () => Record<string, string>) {
    this.#url = url;
    this.ledger = ledger;
    this.#credentials = credentials;
  }

  /** One try; undefined if there was no answer, or one that asks to try later. */
  async ask(call: Call): Promise<Answer | undefined> {
    const tried = await this.#try(call);
    return tried === 'odd' ? undefined : tried;
  }

  /** Sends it until it is answered or the signal aborts; undefined after an odd answer, too. */
  async insist(call: Call, signal: AbortSignal): Promise<Answer | undefined> {
    while (!signal.aborted) {
      const tried = await this.#try(call);
      if (tried === 'odd') return undefined;
      if (tried) return tried;
      await delay(PAUSE_MS);
    }
    return undefined;
  }

  async #try(call: Call): Promise<Answer | 'odd' | undefined> {
    const { ledger } = this;
    const answer = await orBroken(async () => {
      const response = await this.open(call, AbortSignal.timeout(ANSWER_MS));
      return { status: response.status, body: JSON.parse(await response.text()) as unknown };
    });
    if (!answer || answer.status === 503) {
      ledger.unanswered++;
      return undefined;
    }
    ledger.progress++;
    if (call.expects.includes(answer.status)) return answer;
    ledger.oddAnswers.push(
      `${call.method ?? 'GET'} ${call.path}: ${answer.status} ${JSON.stringify(answer.body)}`,
    );
    return 'odd';
  }

  /** The response itself, for streams. */
  open({ method = 'GET', path, body, headers }: Call, signal: AbortSignal): Promise<Response> {
    return fetch(this.#url + path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...this.#credentials(),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
  }
}

/** What the work resolves to; undefined if the connection broke or was given up meanwhile. */
export async function orBroken<T>(work: () => Promise<T>, givenUp?: AbortSignal): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (givenUp?.aborted) return undefined;
    // `fetch` reports a refused or broken connection as a TypeError with a cause.
    if (error instanceof TypeError && error.cause !== undefined) return undefined;
    throw error;
  }
}

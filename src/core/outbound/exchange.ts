import type { Dispatcher } from 'undici';
import { version } from '../version.ts';
import { decompress } from './decompress.ts';
import { tooLong, tooSlow } from './outbound-error.ts';

/** The headers of a response; names in any case. */
export type ResponseHeaders = Pick<Headers, 'get' | 'has'>;

export interface ExchangeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string;
  /** A body that is not text. */
  bytes?: Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
  timeoutMs: number;
  maxBytes: number;
}
export interface Exchange {
  status: number;
  headers: ResponseHeaders;
  /** Decompressed. */
  body: Uint8Array;
}

const defaultHeaders = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': `svc/${version}`,
};

/**
 * Sends a request and receives the whole response; follows no redirects. Rejects with an `OutboundError` after `timeoutMs`
 * and beyond `maxBytes`, and with the error of the connection.
 *
 * Calls `dispatch`, which undici's `request` and `fetch` are built on, because a response that is read whole needs none of
 * their streams.
 */
export async function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: ExchangeRequest,
): Promise<Exchange> {
  const response = await receive(dispatcher, url, request);
  const codings = response.headers.get('content-encoding');
  if (codings === null || response.body.length === 0) return response;
  return { ...response, body: await decompress(response.body, codings, request.maxBytes) };
}

function receive(dispatcher: Dispatcher, url: URL, request: ExchangeRequest): Promise<Exchange> {
  const { method, signal, timeoutMs, maxBytes } = request;
  return new Promise((resolve, reject) => {
    const receiver = new Receiver(maxBytes, (error, response) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (response) resolve(response);
      else reject(error);
    });
    const abort = () => receiver.abort(new Error('aborted', { cause: signal?.reason }));
    const timer = setTimeout(() => receiver.abort(tooSlow(url.host)), timeoutMs).unref();
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort);
    const path = url.pathname + url.search;
    const headers = withDefaults(request.headers);
    const body = request.bytes ?? request.body ?? null;
    dispatcher.dispatch({ origin: url.origin, path, method, headers, body }, receiver);
  });
}

function withDefaults(headers: Record<string, string> = {}): Record<string, string> {
  const all: Record<string, string> = { ...defaultHeaders };
  for (const name in headers) all[name.toLowerCase()] = (headers[name] ?? '').trim();
  return all;
}

type Controller = Dispatcher.DispatchController;
type Fields = Record<string, string | string[] | undefined>;

/** Collects the response to one request, up to its maximum size. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number;
  #finish: ((error: unknown, response?: Exchange) => void) | undefined;
  #controller: Controller | undefined;
  #abortReason: Error | undefined;
  #status = 0;
  #fields: Fields = {};
  #length = 0;
  readonly #chunks: Buffer[] = [];

  constructor(maxBytes: number, finish: (error: unknown, response?: Exchange) => void) {
    this.#maxBytes = maxBytes;
    this.#finish = finish;
  }

  /** Closes the connection; a request that still waits for one is not sent. */
  abort(reason: Error): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
    this.#end(reason);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#abortReason) controller.abort(this.#abortReason);
  }

  onResponseStart(_: Controller, status: number, fields: Fields): void {
    // Interim responses come before the response.
    if (status < 200) return;
    this.#status = status;
    this.#fields = fields;
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) controller.abort(tooLong(this.#maxBytes));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first, ...others] = this.#chunks;
    const body = first && others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#end(undefined, { status: this.#status, headers: new ReceivedHeaders(this.#fields), body });
  }

  onResponseError(_: Controller, error: Error): void {
    this.#end(error);
  }

  #end(error: unknown, response?: Exchange): void {
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.(error, response);
  }
}

class ReceivedHeaders implements ResponseHeaders {
  readonly #fields: Fields;
  constructor(fields: Fields) {
    this.#fields = fields;
  }

  get(name: string): string | null {
    const lowerCase = name.toLowerCase();
    const value = Object.hasOwn(this.#fields, lowerCase) ? this.#fields[lowerCase] : undefined;
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }
}

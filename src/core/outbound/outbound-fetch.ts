import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import { AppError } from '../errors.ts';
import { mayConnect } from './address-rules.ts';

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** Milliseconds for the whole exchange. */
  timeoutMs: number;
  /** Bytes of the answer; a longer one is an error. */
  maxBytes: number;
}
export interface OutboundResponse {
  status: number;
  headers: Headers;
  text: string;
}
/** The one way out: every HTTP request of the daemon goes through a function of this shape. */
export type OutboundFetch = (url: string, request: OutboundRequest) => Promise<OutboundResponse>;

/**
 * http and https only, to public addresses or ranges that an administrator allowed; the address that was checked is the
 * one that is connected to, and no redirect is followed.
 */
export function createOutboundFetch(allowedRanges: () => readonly string[]): {
  fetch: OutboundFetch;
  close(): Promise<void>;
} {
  let agent: Agent | undefined;
  return {
    close: async () => agent?.close(),
    fetch: async (url, { timeoutMs, maxBytes, signal, ...request }) => {
      checkUrl(url, allowedRanges());
      // Loaded at the first request: an idle daemon does without.
      const { Agent, fetch } = await import('undici');
      agent ??= new Agent({
        connect: { lookup: checkedLookup(allowedRanges), timeout: 10_000 },
        maxHeaderSize: 16_384,
      });
      const limit = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, {
        ...request,
        redirect: 'manual',
        dispatcher: agent,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      const text = await readUpTo(response.body, maxBytes);
      return { status: response.status, headers: response.headers as unknown as Headers, text };
    },
  };
}

const refusal = (host: string) =>
  new AppError(
    'forbidden',
    `Requests to ${host} are not allowed: it is not a public address (outbound.allowPrivate)`,
  );

/** The resolver is not asked for a literal address, so that one is checked here. */
function checkUrl(url: string, allowed: readonly string[]): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new AppError('forbidden', `Requests over ${protocol} are not allowed`);
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !mayConnect(address, allowed)) throw refusal(hostname);
}

function checkedLookup(allowedRanges: () => readonly string[]): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const open = addresses.filter(({ address }) => mayConnect(address, allowedRanges()));
      const [first] = open;
      if (!first) return callback(refusal(host), '');
      if (options.all) return callback(null, open);
      return callback(null, first.address, first.family);
    });
  };
}

async function readUpTo(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new AppError('unavailable', `The answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

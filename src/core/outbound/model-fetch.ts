import type * as Undici from 'undici';
import { readRequest } from './fetch-request.ts';
import { AgentOfRules, checkUrl, privateAddressRefusal } from './outbound-fetch.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import { Resolver } from './resolver.ts';
import { StreamedExchange } from './streamed-exchange.ts';

/** A request whose answer may come in parts, in the shape that the AI SDK takes. */
export type ModelFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface ModelOutbound {
  fetch: ModelFetch;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/** This machine. Private networks, and the addresses where clouds give out credentials, take outbound.allowPrivate. */
const loopbackRanges = ['127.0.0.0/8', '::1/128'];

/** Why no model can be called at the address of a configured URL; that of a name is known only when it is called. */
export const problemOfModelUrl = (url: string, allowed: readonly string[]): string | undefined =>
  privateAddressRefusal(url, [...allowed, ...loopbackRanges])?.message;

/** A model may think for long before it says anything. */
const FIRST_BYTE_MS = 10 * 60_000;
const STALL_MS = 2 * 60_000;
const MAX_BYTES = 64 * 1024 * 1024;

export interface ModelFetchOptions {
  resolver?: Resolver;
  /** How long an answer may be silent. */
  stallMs?: number;
  /** How long it may be in all. */
  maxBytes?: number;
}

/**
 * The one way out to models and to MCP servers: the rules of `createOutboundFetch`, except that an origin which an
 * administrator configured may be on this machine; and the body comes as it arrives. An answer that stalls or never ends is an error.
 */
export function createModelFetch(
  allowedRanges: () => readonly string[],
  configuredOrigins: () => ReadonlySet<string>,
  { resolver = new Resolver(), stallMs = STALL_MS, maxBytes = MAX_BYTES }: ModelFetchOptions = {},
): ModelOutbound {
  const options = { headersTimeout: FIRST_BYTE_MS, bodyTimeout: stallMs, maxResponseSize: maxBytes };
  let known: { allowed: readonly string[]; ranges: readonly string[] } | undefined;
  // The same list for the same settings, because what is checked against a list is cached with it.
  const configuredRanges = () => {
    const allowed = allowedRanges();
    if (known?.allowed !== allowed) known = { allowed, ranges: [...allowed, ...loopbackRanges] };
    return known.ranges;
  };
  const anywhere = new AgentOfRules(allowedRanges, resolver, options);
  const configured = new AgentOfRules(configuredRanges, resolver, options);
  const open = new Set<StreamedExchange>();
  let isClosed = false;
  let undici: Promise<typeof Undici> | undefined;
  return {
    close: async () => {
      isClosed = true;
      for (const exchange of open) exchange.abort(stops());
      await Promise.all([anywhere.close(), configured.close()]);
    },
    fetch: async (input, init = {}) => {
      const given = URL.parse(input instanceof Request ? input.url : String(input));
      const isConfigured = given !== null && configuredOrigins().has(given.origin);
      const url = checkUrl(given?.href ?? '', isConfigured ? configuredRanges() : allowedRanges());
      const request = await readRequest(init);
      const { Agent } = await (undici ??= import('undici'));
      init.signal?.throwIfAborted();
      if (isClosed) throw stops();
      const dispatcher = (isConfigured ? configured : anywhere).get(Agent);
      const exchange = new StreamedExchange({
        maxBytes,
        signal: init.signal,
        onEnd: () => open.delete(exchange),
      });
      open.add(exchange);
      try {
        return await exchange.send(dispatcher, url, request);
      } catch (error) {
        if (init.signal?.aborted) throw init.signal.reason;
        throw toOutboundError(error, url.host);
      }
    },
  };
}

const stops = () => new OutboundError('network', 'svc stops');

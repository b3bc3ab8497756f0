import type * as Undici from 'undici';
import { AgentOfRules, checkUrl, privateAddressRefusal } from './outbound-fetch.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import { Resolver } from './resolver.ts';

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
  const stopping = new AbortController();
  let undici: Promise<typeof Undici> | undefined;
  return {
    close: async () => {
      stopping.abort(new OutboundError('network', 'svc stops'));
      await Promise.all([anywhere.close(), configured.close()]);
    },
    fetch: async (input, init = {}) => {
      const url = URL.parse(input instanceof Request ? input.url : String(input));
      const isConfigured = url !== null && configuredOrigins().has(url.origin);
      const { host, href } = checkUrl(url?.href ?? '', isConfigured ? configuredRanges() : allowedRanges());
      try {
        const { Agent, fetch } = await (undici ??= import('undici'));
        const dispatcher = (isConfigured ? configured : anywhere).get(Agent);
        const signal = init.signal ? AbortSignal.any([init.signal, stopping.signal]) : stopping.signal;
        const request = { ...init, signal, redirect: 'manual', dispatcher } as Parameters<typeof fetch>[1];
        return await fetch(href, request);
      } catch (error) {
        if (init.signal?.aborted) throw init.signal.reason;
        throw toOutboundError(error, host);
      }
    },
  };
}

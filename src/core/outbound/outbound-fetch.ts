import { isIP, type LookupFunction } from 'node:net';
import type { Agent as UndiciAgent } from 'undici';
import { mayConnect } from './address-rules.ts';
import { exchange, type ExchangeRequest, type ResponseHeaders } from './exchange.ts';
import { isForbiddenPort } from './forbidden-ports.ts';
import { notHttp, OutboundError, tooLong, toOutboundError } from './outbound-error.ts';
import type { OwnAddress } from './own-address.ts';
import { Resolver } from './resolver.ts';

export interface OutboundRequest extends ExchangeRequest {
  /** Timeout in milliseconds for the whole exchange. */
  timeoutMs: number;
  /** The maximum size of the decompressed response; a longer one is an error. */
  maxBytes: number;
  /** Decodes the body; UTF-8 by default. */
  decode?: (body: Uint8Array, headers: ResponseHeaders) => string;
}
export interface OutboundResponse {
  status: number;
  headers: ResponseHeaders;
  text: string;
}
/**
 * Every outbound HTTP request of the daemon goes through a function of this type. Rejects with an
 * `OutboundError` without a response, and with the signal's reason if aborted.
 */
export type OutboundFetch = (url: string, request: OutboundRequest) => Promise<OutboundResponse>;

export interface Outbound {
  fetch: OutboundFetch;
  /** Throws if requests to the URL are not allowed, as far as that is known without a DNS lookup. */
  check(url: string): void;
  close(): Promise<void>;
}

/**
 * Allows http and https to public addresses and to ranges that an administrator allowed. Connects to exactly the address
 * that was checked, and follows no redirects. If the daemon's own address is given, requests to it are always
 * refused.
 */
export function createOutboundFetch(
  allowedRanges: () => readonly string[],
  resolver = new Resolver(),
  own?: OwnAddress,
): Outbound {
  const agents = new AgentOfRules(allowedRanges, resolver);
  // Uses separate connections: at our port, any address of this machine is the daemon itself.
  const elsewhere = new AgentOfRules(allowedRanges, resolver, {}, (address) => own?.isHere(address) ?? false);
  let Agent: typeof UndiciAgent | undefined;
  const check = (text: string): URL => {
    const url = checkUrl(text, allowedRanges());
    if (own?.isPublicName(url) || (own?.hasPort(url) && own.isHere(addressOf(url)))) throw toUs(url.host);
    return url;
  };
  return {
    close: async () => void (await Promise.all([agents.close(), elsewhere.close()])),
    check: (url) => void check(url),
    fetch: async (text, { decode = asUtf8, ...request }) => {
      const url = check(text);
      // Loaded on the first request: an idle daemon does not need it.
      Agent ??= (await import('undici')).Agent;
      const dispatcher = (own?.hasPort(url) ? elsewhere : agents).get(Agent);
      try {
        const { status, headers, body } = await exchange(dispatcher, url, request);
        return { status, headers, text: decode(body, headers) };
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        throw toOutboundError(error, url.host);
      }
    },
  };
}

/** Pools connections; those made under earlier rules are not reused. */
export class AgentOfRules {
  readonly #allowedRanges: () => readonly string[];
  readonly #resolver: Resolver;
  readonly #options: UndiciAgent.Options;
  readonly #isRefused: (address: string) => boolean;
  #current: { agent: UndiciAgent; ranges: string } | undefined;
  #closing: Promise<unknown> = Promise.resolve();

  constructor(
    allowedRanges: () => readonly string[],
    resolver: Resolver,
    options: UndiciAgent.Options = {},
    isRefused: (address: string) => boolean = () => false,
  ) {
    this.#allowedRanges = allowedRanges;
    this.#resolver = resolver;
    this.#options = options;
    this.#isRefused = isRefused;
  }

  get(Constructor: typeof UndiciAgent): UndiciAgent {
    const ranges = this.#allowedRanges().join();
    if (this.#current?.ranges !== ranges) {
      this.#retire();
      const lookup = checkedLookup(
        this.#resolver,
        (address) => mayConnect(address, this.#allowedRanges()) && !this.#isRefused(address),
      );
      const connect = { lookup, timeout: 10_000 };
      const agent = new Constructor({ ...this.#options, connect, maxHeaderSize: 16_384 });
      this.#current = { agent, ranges };
    }
    return this.#current.agent;
  }

  /** Waits for requests in progress. */
  async close(): Promise<void> {
    this.#retire();
    await this.#closing;
  }

  #retire(): void {
    this.#closing = Promise.all([this.#closing, this.#current?.agent.close()]);
    this.#current = undefined;
  }
}

const refusal = (host: string) =>
  new OutboundError(
    'refused',
    `Requests to ${host} are not allowed: it is not a public address (outbound.allowPrivate)`,
  );

const toUs = (host: string) =>
  new OutboundError('refused', `Requests to ${host} are not allowed: that is svc itself`);

const addressOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

/** Throws for a URL that is not allowed. Literal addresses bypass the resolver, so they are checked here. */
export function checkUrl(text: string, allowed: readonly string[]): URL {
  const url = URL.parse(text);
  if (!url) throw new OutboundError('refused', 'Not a valid URL', { code: 'validation' });
  const { protocol, host, hostname, username, password } = url;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new OutboundError('refused', `Requests over ${protocol} are not allowed`);
  if (username !== '' || password !== '')
    throw new OutboundError('refused', 'A user name or password in a URL is not allowed');
  if (isForbiddenPort(url)) throw notHttp(host);
  if (isPrivate(url, allowed)) throw refusal(hostname);
  return url;
}

/** Whether the host of a URL is an address that is neither public nor allowed; a name is checked when it is resolved. */
function isPrivate(url: URL, allowed: readonly string[]): boolean {
  const address = addressOf(url);
  return isIP(address) !== 0 && !mayConnect(address, allowed);
}

/** The refusal of a URL whose host is a private address that is not allowed; undefined for any other URL. */
export function privateAddressRefusal(text: string, allowed: readonly string[]): OutboundError | undefined {
  const url = URL.parse(text);
  return url && isPrivate(url, allowed) ? refusal(url.hostname) : undefined;
}

/** One forbidden address is enough to refuse: a name with both kinds is an attack or a mistake. */
function checkedLookup(resolver: Resolver, isOpen: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    resolver.resolve(host).then(
      (found) => {
        const open = found.filter(({ address }) => isOpen(address));
        const [first] = open;
        // This machine has an address of each family, and possibly only one is allowed.
        if (!first || (open.length < found.length && host !== 'localhost')) callback(refusal(host), '');
        else if (options.all) callback(null, open);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

const asUtf8 = (body: Uint8Array) => Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');

/** The body as text; rejects as soon as it is longer than `maxBytes`. */
export async function readUpTo(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLong(maxBytes);
    chunks.push(chunk);
  }
  return asUtf8(Buffer.concat(chunks));
}

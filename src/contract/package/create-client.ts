import { type Client, createClient as derive } from '../client.ts';
import { sessionCookie } from '../locations.ts';
import { routeTable } from '../route-table.ts';
import { type Fetch, fetchTransport } from './fetch-transport.ts';

export interface Credentials {
  /** An API token, such as `svc tokens create` prints it. */
  token?: string;
  /** The value of the session cookie; a browser sends it. */
  session?: string;
}

export interface ClientOptions extends Credentials {
  /** Address of the daemon; in a browser the site of the page unless set. */
  baseUrl?: string;
  /** Headers of every request, such as those of a proxy. */
  headers?: Record<string, string>;
  /** In place of the global `fetch`. */
  fetch?: Fetch;
}

/** A client of the daemon with one method per route. Throws a TypeError for options that no request can have. */
export function createClient({
  baseUrl,
  headers,
  fetch = globalThis.fetch,
  ...credentials
}: ClientOptions = {}): Client {
  return derive(routeTable, {
    baseUrl: addressOf(baseUrl),
    // A browser refuses to call its own as a method of something else.
    fetch: fetchTransport((url, init) => fetch(url, init)),
    headers: { ...headers, ...credentialHeaders(credentials) },
  });
}

/** The headers that authenticate a request. */
export function credentialHeaders({ token, session }: Credentials): Record<string, string> {
  return {
    ...(token !== undefined && { authorization: `Bearer ${headerText('token', token)}` }),
    ...(session !== undefined && { cookie: `${sessionCookie}=${headerText('session', session)}` }),
  };
}

/** The address to send requests to, without a path at its end. */
export function addressOf(baseUrl: string | undefined): string {
  const { location } = globalThis as { location?: { origin: string } };
  const text = baseUrl ?? location?.origin;
  const url = text === undefined || !URL.canParse(text) ? undefined : new URL(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must be an http or https address without a user name and password');
  return `${url.origin}${url.pathname}`;
}

/** An error of `fetch` would show the value. */
function headerText(name: string, value: string): string {
  const text = value.trim();
  if (/^[\x21-\x3a\x3c-\x7e]+$/.test(text)) return text;
  throw new TypeError(`${name} is empty or has characters that a header cannot carry`);
}

import { parseSetCookie } from 'cookie';
import { sessionCookie } from '../../src/contract/locations.ts';
import type { TestDaemon } from './daemon.ts';
import { addUser } from './users.ts';

interface Cookie {
  name: string;
  value: string;
  path: string;
}

/** Follows addresses as a browser does, with the cookies of each site. */
export class TestBrowser {
  readonly #site: string;
  readonly #cookies = new Map<string, Cookie>();

  /** `site` is the URL of the daemon, to which addresses are relative. */
  constructor(site: string) {
    this.#site = site;
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(`${this.#site} ${name}`)?.value;
  }

  setCookie(name: string, value: string | undefined, path = '/', site = this.#site): void {
    if (value === undefined) this.#cookies.delete(`${site} ${name}`);
    else this.#cookies.set(`${site} ${name}`, { name, value, path });
  }

  /** One request; a redirect is answered as it is. */
  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const { href, origin, pathname } = new URL(url, this.#site);
    const cookies = [...this.#cookies]
      .filter(([key, { path }]) => key.startsWith(`${origin} `) && pathname.startsWith(path))
      .map(([, { name, value }]) => `${name}=${value}`);
    const headers = new Headers(init.headers);
    if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
    const response = await fetch(href, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const { name, value = '', path = '/', maxAge } = parseSetCookie(line);
      this.setCookie(name, maxAge === 0 ? undefined : value, path, origin);
    }
    return response;
  }

  post(url: string, body: unknown): Promise<Response> {
    return this.open(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** The address that a redirect leads to. */
  async leadsTo(url: string): Promise<string> {
    const response = await this.open(url);
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`${url} leads nowhere: ${response.status} ${await response.text()}`);
    return new URL(location, new URL(url, this.#site)).href;
  }

  /** Goes to a vendor that agrees without asking; answers the address that the vendor sends the browser back to. */
  async agree(start: string): Promise<string> {
    let url = await this.leadsTo(start);
    while (new URL(url).origin !== this.#site) url = await this.leadsTo(url);
    return url;
  }
}

/** The browser of a new user who is no administrator. */
export async function signedInBrowser(
  daemon: TestDaemon,
  name: string,
): Promise<{ browser: TestBrowser; userId: string }> {
  const { headers, caller } = await addUser(daemon, name);
  const browser = new TestBrowser(daemon.url);
  browser.setCookie(sessionCookie, headers.cookie.split('=')[1]);
  return { browser, userId: caller.userId };
}

/** The status of a refusal, and what it says. */
export async function refusalOf(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: string };
  return [response.status, error];
}

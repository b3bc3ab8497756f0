import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import { OutboundError } from '../../src/core/outbound/outbound-error.ts';
import type { OutboundFetch } from '../../src/core/outbound/outbound-fetch.ts';
import {
  type Answer,
  answerOfGithub,
  answerOfJira,
  answerOfLinear,
  type Asked,
  type KeptComment,
} from './comment-apis.ts';

type Vendor = 'github' | 'jira' | 'linear';
export interface CommentRequest extends Asked {
  vendor: Vendor;
  authorization: string;
  atMs: number;
}
/** `lost` does what was asked for and closes without an answer, `hanging` keeps the connection open; `down` does nothing. */
export type Interference = Answer | 'lost' | 'hanging' | 'down';

/** The comments of GitHub, Jira and Linear, in memory and over HTTP, with what real vendors answer. */
export class CommentVendors {
  readonly comments: Record<Vendor, KeptComment[]> = { github: [], jira: [], linear: [] };
  readonly requests: CommentRequest[] = [];
  /** What happens to a request in place of the usual. */
  interfere: (request: CommentRequest) => Interference | undefined = () => undefined;
  accepts: (authorization: string) => boolean = (authorization) => authorization !== '';
  #nextId = 1000;
  readonly #now: () => Date;

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  /** Requests that changed something, or were to. */
  writes(): CommentRequest[] {
    return this.requests.filter(({ method, vendor, body }) =>
      vendor === 'linear' ? String(body['query']).startsWith('mutation') : method !== 'GET',
    );
  }

  texts(vendor: Vendor = 'github'): string[] {
    return this.comments[vendor].map(({ body }) => (typeof body === 'string' ? body : JSON.stringify(body)));
  }

  /** For parts that are given a fetch; the addresses are those of `baseUrls`. */
  readonly fetch: OutboundFetch = async (url, { method, headers = {}, body = '', signal }) => {
    signal?.throwIfAborted();
    const { pathname, search, host } = new URL(url);
    const answer = this.#handle(method, pathname + search, headers['authorization'] ?? '', body);
    if (answer === 'down') throw new OutboundError('network', `${host} cannot be reached`);
    if (answer === 'lost') throw new OutboundError('timeout', `${host} did not answer in time`);
    if (answer === 'hanging')
      return new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    if (!answer) throw new Error(`There is no ${method} ${pathname}`);
    return { status: answer.status, headers: new Headers(answer.headers), text: textOf(answer) };
  };

  /** On a free port; requests about anything but comments are forwarded to another server. */
  async listen(onwards: string): Promise<{ url: string } & AsyncDisposable> {
    const server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { method = '', url = '', headers } = incoming;
        const body = Buffer.concat(chunks);
        const answer = this.#handle(method, url, headers.authorization ?? '', body.toString('utf8'));
        if (typeof answer === 'string') return void incoming.socket.destroy();
        if (answer) {
          response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
          return void response.end(textOf(answer));
        }
        const { host: _, ...passed } = headers;
        const next = forward(`${onwards}${url}`, { method, headers: passed }, (result) => {
          response.writeHead(result.statusCode ?? 502, result.headers);
          result.pipe(response);
        });
        next.end(body);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return {
      url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      async [Symbol.asyncDispose]() {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      },
    };
  }

  #handle(method: string, path: string, authorization: string, text: string): Interference | undefined {
    const vendor = vendorOf(path, text);
    if (!vendor) return undefined;
    const now = this.#now();
    const asked = { method, path, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
    const request = { vendor, ...asked, authorization, atMs: now.getTime() };
    this.requests.push(request);
    const interference = this.interfere(request);
    if (interference === 'down' || typeof interference === 'object') return interference;
    const world = {
      comments: this.comments[vendor],
      newId: () => this.#nextId++,
      at: now.toISOString(),
      isKnown: this.accepts(authorization),
    };
    const answer = { github: answerOfGithub, jira: answerOfJira, linear: answerOfLinear }[vendor](
      asked,
      world,
    );
    return interference ?? answer;
  }
}

/** Settings with which these are the three vendors. */
export const vendorSettings = (url = 'https://vendors.example') => ({
  'integrations.github.apiUrl': `${url}/github/api`,
  'integrations.jira.apiUrl': `${url}/atlassian`,
  'integrations.linear.apiUrl': `${url}/linear`,
});

function vendorOf(path: string, body: string): Vendor | undefined {
  if (/\/issues\/(?:\d+\/)?comments/.test(path)) return 'github';
  if (/\/rest\/api\/3\/issue\/[^/]+\/comment/.test(path)) return 'jira';
  return path === '/linear/graphql' && body.includes('comment') ? 'linear' : undefined;
}

const textOf = ({ body }: Answer) => (typeof body === 'string' ? body : JSON.stringify(body));

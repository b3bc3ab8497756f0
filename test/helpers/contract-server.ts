import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';
import { type Contract, contract } from '../../src/contract/index.ts';
import { type LiveMessage, liveMessageSchema } from '../../src/contract/live.ts';
import { livePath } from '../../src/contract/live-path.ts';
import type { Route, RouteEvent, RouteOutput, RouteRequest, Routes } from '../../src/contract/route.ts';

/** What an answer is when it is no success. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Answer<R extends Route> = (
  input: RouteRequest<R>,
) => RouteOutput<R> | Promise<RouteOutput<R>> | AsyncIterable<RouteEvent<R>>;
type AnswersOf<Rs extends Routes> = { [Name in keyof Rs]?: Answer<Rs[Name]> };
/** What the server says to some of the routes; the others are 404. */
export type Answers = { [Resource in keyof Contract]?: AnswersOf<Contract[Resource]> };

export interface ContractServer extends AsyncDisposable {
  url: string;
  /** What was asked, such as `PUT /api/security/policy`, with its body. */
  asked: { route: string; body: unknown }[];
  answers: Answers;
  /** Sends a message to everybody who listens to the live feed. */
  tell: (message: LiveMessage) => void;
  /** Ends all connections to the live feed. */
  hangUp(): void;
}

/** A server that speaks the contract and holds itself to it, for what a daemon does only after long preparations. */
export async function startContractServer(answers: Answers): Promise<ContractServer> {
  const server = createServer((request, response) => void answer(request, response));
  const feed = new WebSocketServer({ server, path: livePath });
  const asked: ContractServer['asked'] = [];
  const stopping = new AbortController();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const started: ContractServer = {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    answers,
    tell(message) {
      const line = JSON.stringify(liveMessageSchema.parse(message));
      for (const client of feed.clients) client.send(line);
    },
    hangUp() {
      for (const client of feed.clients) client.terminate();
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      started.hangUp();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', started.url);
    const found = findRoute(request.method ?? 'GET', url.pathname);
    const sendJson = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const handler = found && handlerOf(started.answers, found.resource, found.name);
    if (!found || !handler)
      return void sendJson(404, { error: `Not found: ${request.method} ${url.pathname}` });
    try {
      const { route, params } = found;
      const said = await text(request);
      const body = said === '' ? undefined : route.body?.parse(JSON.parse(said));
      asked.push({ route: `${request.method} ${url.pathname}`, body });
      const query = route.query?.parse(Object.fromEntries(url.searchParams)) ?? {};
      const given = handler({ params, query, body, headers: request.headers });
      if (isStream(given)) await sendEvents(response, route, given, stopping.signal);
      else sendJson(route.status ?? 200, route.response.parse(await given));
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      sendJson(status, { error: error instanceof Error ? error.message : String(error) });
    }
  }
  return started;
}

type AnyAnswer = (input: Record<'params' | 'query' | 'body' | 'headers', unknown>) => unknown;

/** The types of a route that is known only now are those of no route in particular. */
const handlerOf = (answers: Answers, resource: string, name: string): AnyAnswer | undefined =>
  (answers as Record<string, Record<string, AnyAnswer>>)[resource]?.[name];

function findRoute(method: string, path: string) {
  for (const [resource, routes] of Object.entries(contract))
    for (const [name, route] of Object.entries<Route>(routes)) {
      if (route.method !== method) continue;
      const names = [...route.path.matchAll(/:(\w+)/g)].map(([, each]) => each ?? '');
      const match = new RegExp(`^${route.path.replaceAll(/:\w+/g, '([^/]+)')}$`).exec(path);
      // A fixed path comes before one with a parameter: none of the routes in use collide.
      if (match) {
        const params = Object.fromEntries(
          names.map((each, at) => [each, decodeURIComponent(match[at + 1] ?? '')]),
        );
        return { resource, name, route, params };
      }
    }
  return undefined;
}

const isStream = (given: unknown): given is AsyncIterable<unknown> =>
  typeof given === 'object' && given !== null && Symbol.asyncIterator in given;

async function sendEvents(
  response: ServerResponse,
  route: Route,
  events: AsyncIterable<unknown>,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for await (const event of events) {
    if (signal.aborted) return;
    const data = route.events?.parse(event) as { seq?: number };
    response.write(`id: ${data.seq ?? 0}\ndata: ${JSON.stringify(data)}\n\n`);
  }
  response.end();
}

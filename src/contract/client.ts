import type { Contract } from './index.ts';
import type { ErrorBody, ErrorDetail } from './primitives.ts';
import type { Route, RouteEvent, RouteInput, RouteOutput, Routes } from './route.ts';
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts';
import { trimSlashes } from './trim-slashes.ts';

/** The part of `fetch` that the client needs; the global one and one over node:http both fit. */
export type FetchLike = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    signal?: AbortSignal;
    silenceMs?: number;
  },
) => Promise<{
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
  body: AsyncIterable<Uint8Array> | null;
}>;

type Answer = Awaited<ReturnType<FetchLike>>;

/** What the client needs of a route: the contract and the generated route table both have it. */
export interface RouteSummary {
  method: string;
  path: string;
  events?: unknown;
  file?: string;
  also?: object;
}
export type RouteTable = Record<string, Record<string, RouteSummary>>;

export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds without data after which a transport that supports it aborts; 0 never aborts. */
  silenceMs?: number;
  /** Called once a stream has begun, before its first event. */
  onOpen?: () => void;
  /** Called with the headers of a file or a stream, before its first piece or event. */
  onHeaders?: (headers: { get(name: string): string | null }) => void;
}
type Arguments<R extends Route> =
  object extends RouteInput<R>
    ? [input?: RouteInput<R>, options?: CallOptions]
    : [input: RouteInput<R>, options?: CallOptions];
type Resource<Rs extends Routes> = {
  [Name in keyof Rs]: (
    ...args: Arguments<Rs[Name]>
  ) => Rs[Name]['file'] extends string ? AsyncGenerator<Uint8Array> : Promise<RouteOutput<Rs[Name]>>;
} & {
  [Name in keyof Rs & string as Rs[Name] extends { events: unknown } ? `${Name}Stream` : never]: (
    ...args: Arguments<Rs[Name]>
  ) => AsyncGenerator<ServerSentEvent<RouteEvent<Rs[Name]>>>;
};
/** One method per route; a route that can stream also has `<name>Stream`, one of a file returns its pieces as they come. */
export type Client = { [Name in keyof Contract]: Resource<Contract[Name]> };

/** A response of the daemon that is not a success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly details: ErrorDetail[] | undefined;
  readonly requestId: string | undefined;
  /** Whether the same request may succeed later, as far as the daemon says. */
  readonly mayPass: boolean;
  /** After how many seconds the daemon wants to be asked again, where it says so. */
  readonly retryAfter: number | undefined;
  /** The body of the response as received, for statuses with their own body. */
  readonly body: unknown;
  constructor(
    status: number,
    body: unknown,
    { mayPass = true, retryAfter }: { mayPass?: boolean; retryAfter?: number | undefined } = {},
  ) {
    const { error, details, requestId } = (
      typeof body === 'object' && body ? body : {}
    ) as Partial<ErrorBody>;
    super(error ?? `HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.mayPass = mayPass;
    this.retryAfter = retryAfter;
    this.details = details;
    this.requestId = requestId;
  }
}

interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
}

interface ClientOptions {
  baseUrl: string;
  fetch: FetchLike;
  headers?: Record<string, string>;
  /** Called with every response and event, and where it came from: `tasks.get`, `tasks.listEventsStream`. */
  onAnswer?: (answer: object, route: string) => void;
}

/** A client of the daemon at `baseUrl`, derived from the contract or from its route table. */
export function createClient(routes: RouteTable, options: ClientOptions): Client {
  const baseUrl = trimSlashes(options.baseUrl);
  const open = (route: RouteSummary, input: AnyInput, accept: string, { signal, silenceMs }: CallOptions) => {
    const hasBody = input.body !== undefined;
    return options.fetch(baseUrl + pathOf(route, input), {
      method: route.method,
      headers: {
        accept,
        ...(hasBody && { 'content-type': 'application/json' }),
        ...options.headers,
        ...definedOnly(input.headers),
      },
      ...(hasBody && { body: JSON.stringify(input.body) }),
      ...(signal && { signal }),
      ...(silenceMs !== undefined && { silenceMs }),
    });
  };
  const { onAnswer } = options;
  const received = <T>(answer: T, route: string): T => {
    if (onAnswer && typeof answer === 'object' && answer !== null) onAnswer(answer, route);
    return answer;
  };
  const call =
    (route: RouteSummary, name: string) =>
    async (input: AnyInput = {}, options: CallOptions = {}) => {
      const response = await open(route, input, 'application/json', options);
      const body = parseBody(await response.text(), response.status);
      if (response.status >= 200 && response.status < 300) return received(body, name);
      throw errorOf(response, body);
    };
  const stream = (route: RouteSummary, name: string) =>
    async function* (input: AnyInput = {}, options: CallOptions = {}) {
      const response = await open(route, input, 'text/event-stream', options);
      if (response.status === 204) return;
      if (response.status !== 200) throw errorOf(response, parseBody(await response.text(), response.status));
      await requireEventStream(response);
      options.onHeaders?.(response.headers);
      options.onOpen?.();
      if (!response.body) return;
      for await (const event of eventsOf(response.body)) {
        received(event.data, name);
        yield event;
      }
    };

  const bytes = (route: RouteSummary) =>
    async function* (input: AnyInput = {}, options: CallOptions = {}) {
      const response = await open(route, input, route.file ?? '*/*', options);
      if (response.status !== 200 && response.status !== 206)
        throw errorOf(response, parseBody(await response.text(), response.status));
      options.onHeaders?.(response.headers);
      if (response.body) yield* response.body;
    };

  const client: Record<string, Record<string, unknown>> = {};
  for (const [resource, table] of Object.entries(routes)) {
    const methods: Record<string, unknown> = (client[resource] = {});
    for (const [name, route] of Object.entries(table)) {
      const path = `${resource}.${name}`;
      methods[name] = route.file === undefined ? call(route, path) : bytes(route);
      if (route.events) methods[`${name}Stream`] = stream(route, `${path}Stream`);
    }
  }
  return client as unknown as Client;
}

/** A daemon that cannot answer says when to try again, unless that cannot help; a proxy before it may say nothing. */
function errorOf({ status, headers }: Pick<Answer, 'status' | 'headers'>, body: unknown): ApiError {
  const isOfDaemon = typeof body === 'object' && body !== null && 'error' in body;
  const isLasting = status === 503 && isOfDaemon && headers.get('retry-after') === null;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError(status, body, {
    mayPass: !isLasting,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

/** What a proxy answers in place of a stream would otherwise be a stream without events. */
async function requireEventStream({ status, headers, body }: Answer): Promise<void> {
  const type = headers.get('content-type') ?? 'text/event-stream';
  if (type.startsWith('text/event-stream')) return;
  // Beginning to read it is what lets it be left.
  if (body) for await (const _ of body) break;
  throw new ApiError(status, { error: `The answer is not an event stream but ${type.slice(0, 100)}` });
}

async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  try {
    yield* readServerSentEvents(body);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new ApiError(200, { error: `The event stream is not valid: ${error.message.slice(0, 200)}` });
  }
}

function pathOf(route: RouteSummary, { params = {}, query = {} }: AnyInput): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodePart(name, params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}

/** A URL normalizes these segments away, however they are encoded: the request would go to another route. */
function encodePart(name: string, value: string): string {
  if (value !== '' && value !== '.' && value !== '..') return encodeURIComponent(value);
  throw new ApiError(400, { error: `Not a valid ${name}: ${JSON.stringify(value)}` });
}

function definedOnly(headers: AnyInput['headers'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function parseBody(text: string, status: number): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(status, { error: `The answer is not JSON (HTTP ${status}): ${text.slice(0, 200)}` });
  }
}

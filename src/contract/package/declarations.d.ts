// The types of `svc-agents/client`, without zod. The build puts `components` and `operations` here, generated from the OpenAPI document.

/** The named types of the API, such as `Schemas['Task']`. */
export type Schemas = components['schemas'];
export type Task = Schemas['Task'];
export type TaskEvent = Schemas['TaskEvent'];
export type CreateTask = Schemas['CreateTask'];
export type LiveMessage = Schemas['LiveMessage'];
/** What a live connection can watch: a kind of message, or `task:ID`. */
export type LiveTopic = Schemas['LiveWatch']['watch'][number];

/** One event of a stream: its id if the server sent one, and its data. */
export interface ServerSentEvent<T = unknown> {
  id?: string;
  data: T;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds without data after which the call fails; 0 never does. 60,000 for streams and 0 for others unless set. */
  silenceMs?: number;
  /** Called once a stream has begun, before its first event. */
  onOpen?: () => void;
  /** Called with the headers of a file or a stream, before its first piece or event. */
  onHeaders?: (headers: { get(name: string): string | null }) => void;
}

type Operation = operations[keyof operations];
type ResourceOf<Id> = Id extends `${infer Resource}.${string}` ? Resource : never;
type NameIn<Resource extends string, Id> = Id extends `${Resource}.${infer Name}` ? Name : never;

/** A part of an input that has to be there only where one of its fields has to. */
type Part<Name extends string, T> = [T] extends [never]
  ? unknown
  : object extends T
    ? { [P in Name]?: T }
    : { [P in Name]: T };
/** Query values are sent as text, so numbers and booleans are taken too. */
type QueryOf<T> = [T] extends [never] ? never : { [K in keyof T]: T[K] | number | boolean };
type JsonOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Body<O extends Operation> = 'requestBody' extends keyof O
  ? undefined extends O['requestBody']
    ? [JsonOf<NonNullable<O['requestBody']>>] extends [never]
      ? unknown
      : { body?: JsonOf<NonNullable<O['requestBody']>> }
    : { body: JsonOf<O['requestBody']> }
  : unknown;
type Input<O extends Operation> = Part<'params', NonNullable<O['parameters']['path']>> &
  Part<'query', QueryOf<NonNullable<O['parameters']['query']>>> &
  Part<'headers', NonNullable<O['parameters']['header']>> &
  Body<O>;
type Arguments<O extends Operation> =
  object extends Input<O>
    ? [input?: Input<O>, options?: CallOptions]
    : [input: Input<O>, options?: CallOptions];

type Success<O extends Operation> = O['responses'][keyof O['responses'] & (200 | 201 | 202)];
type EventOf<O extends Operation> = EventIn<Success<O>>;
type EventIn<T> = T extends { content: { 'text/event-stream': infer Event } } ? Event : never;
/** A file is yielded in pieces; a route that redirects a browser throws. */
type Method<O extends Operation> = (
  ...args: Arguments<O>
) => [Success<O>] extends [never]
  ? Promise<never>
  : [JsonOf<Success<O>>] extends [never]
    ? AsyncGenerator<Uint8Array>
    : Promise<JsonOf<Success<O>>>;

type Methods<Resource extends string> = {
  [Id in keyof operations as NameIn<Resource, Id>]: Method<operations[Id]>;
} & {
  [
    Id in keyof operations as [EventOf<operations[Id]>] extends [never]
      ? never
      : `${NameIn<Resource, Id>}Stream`
  ]: (...args: Arguments<operations[Id]>) => AsyncGenerator<ServerSentEvent<EventOf<operations[Id]>>>;
};
/** One method per route; a route that can stream also has `<name>Stream`, one of a file yields its pieces as they come. */
export type Client = { [Resource in ResourceOf<keyof operations>]: Methods<Resource> };

export interface ClientOptions {
  /** Address of the daemon; in a browser the site of the page unless set. */
  baseUrl?: string;
  /** An API token, such as `svc tokens create` prints it. */
  token?: string;
  /** The value of the session cookie; a browser sends it. */
  session?: string;
  /** Headers of every request, such as those of a proxy. */
  headers?: Record<string, string>;
  /** In place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}
/** A client of the daemon with one method per route. Throws a TypeError for options that no request can have. */
export declare function createClient(options?: ClientOptions): Client;

/** A response of the daemon that is not a success, or not one of the daemon. */
export declare class ApiError extends Error {
  readonly name: 'ApiError';
  /** The HTTP status; 200 for an answer that cannot be read, 400 for an input that no request can carry. */
  readonly status: number;
  /** What is wrong with which field of the input. */
  readonly details: { path: string; message: string }[] | undefined;
  readonly requestId: string | undefined;
  /** Whether the same request may succeed later, as far as the daemon says. */
  readonly mayPass: boolean;
  /** After how many seconds the daemon wants to be asked again, where it says so. */
  readonly retryAfter: number | undefined;
  /** The body of the response as received. */
  readonly body: unknown;
  constructor(
    status: number,
    body: unknown,
    options?: { mayPass?: boolean; retryAfter?: number | undefined },
  );
}

/** No answer of a server: it cannot be reached, or the connection broke. The same request may succeed later. */
export declare class ConnectionError extends Error {
  readonly name: 'ConnectionError';
}

/** Whether the same request may succeed later: no answer, a limit, or a server that restarts. */
export declare function isTransient(error: unknown): boolean;

export interface FollowOptions {
  /** Called with every event, once and in order. */
  onEvent?: (event: TaskEvent) => void;
  /** Called each time the server does not respond and will be asked again. */
  onAway?: () => void;
  /** Skips events up to this sequence number. */
  after?: number;
  signal?: AbortSignal;
}
/**
 * Follows a task until it has completed, failed or was cancelled, and resolves with it. Connects again where the connection
 * breaks; rejects when the server does not respond for 30 s.
 */
export declare function followTask(client: Client, id: string, options?: FollowOptions): Promise<Task>;

export interface RunTaskOptions {
  /** Creates one task per key, also when it is called again; a random one unless set. */
  idempotencyKey?: string;
  /** Called once, when the task is stored. */
  onCreated?: (task: Task) => void;
  /** Called with every event, once and in order. */
  onEvent?: (event: TaskEvent) => void;
  /** Called each time the server does not respond and will be asked again. */
  onAway?: () => void;
  /** Aborting cancels the task. */
  signal?: AbortSignal;
}
/**
 * Creates a task and resolves with it once it has completed, failed or was cancelled. Requests that got no answer are sent again
 * for 30 s, and create no second task. Rejects with an ApiError or a ConnectionError.
 */
export declare function runTask(client: Client, task: CreateTask, options?: RunTaskOptions): Promise<Task>;

/** The part of a WebSocket that the client needs. */
export interface LiveSocket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void;
}
export interface LiveOptions {
  /** Address of the daemon; in a browser the site of the page unless set. */
  baseUrl?: string;
  /** The value of the session cookie; a browser sends it. */
  session?: string;
  /** Called with each message. Ignore types that you do not know: a newer daemon may have more. */
  onMessage: (message: LiveMessage) => void;
  /** Called once, with the close code (RFC 6455). What changes from then on is not sent again: reconnect, and read what you show. */
  onClose?: (code: number) => void;
  /** In place of the global `WebSocket`, which Node.js has from version 22: the one of the package `ws` fits. */
  WebSocket?: new (url: string, options?: { headers: Record<string, string> }) => LiveSocket;
}
/** The live feed over one connection: `watch` chooses topics, `close` ends it. */
export interface LiveConnection {
  /** Resolves once the daemon sends these topics only; rejects if it refuses them or the connection closes. */
  watch(topics: readonly LiveTopic[]): Promise<void>;
  close(): void;
}
/** Opens the live feed of the daemon. It needs a session; programs with an API token follow the event stream of a task. */
export declare function connectLive(options: LiveOptions): LiveConnection;

import type { z } from 'zod';
import type { ErrorStatus } from './route-errors.ts';
import type { Scope } from './scopes.ts';

/**
 * Who may call a route. The daemon enforces it before anything else runs; clients only read it. `session` and `admin`
 * need a session; `token` needs an API token with one of the scopes of the route.
 */
export type Access = 'public' | 'session' | 'admin' | 'token';

/** A fixed window per client address; `message` is the text of the 429. */
export interface RateLimit {
  max: number;
  windowMs: number;
  message?: string;
  /** The body field that names an account; its requests are also counted across addresses. */
  account?: string;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api`, but for the doors whose paths another specification fixes. */
  path: `/${string}`;
  access: Access;
  /** An API token with one of these scopes may also call the route; where `access` is `token`, nothing else may. */
  scopes?: readonly Scope[];
  /** Accepts a browser that comes from another site, such as the redirect of an OAuth provider. */
  crossSite?: true;
  /** Success is a redirect (302) without a body. */
  redirect?: true;
  /** One imperative sentence without a full stop; the OpenAPI summary. */
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: z.ZodType;
  /** The body field that may contain NUL characters, which are refused everywhere else. */
  nulIn?: string;
  /** The body field whose items the handler checks one by one, so that a bad one does not refuse the others. */
  itemsLaterIn?: string;
  /** Describes a body whose raw bytes are read instead. */
  rawBody?: string;
  /** Status of success; defaults to 200. */
  status?: 200 | 201 | 202;
  response: z.ZodType;
  /** Other statuses with their own body, such as 503 of a health check. */
  also?: Partial<Record<number, z.ZodType>>;
  /** Errors that do not follow from the access, parameters, headers and body of the route. */
  errors?: readonly ErrorStatus[];
  /** One event of the stream that the route returns for `Accept: text/event-stream`. */
  events?: z.ZodType;
  /** Success is a file of this media type. */
  file?: string;
  /** The file can be requested in parts (RFC 9110, section 14): 206, or 416 where there is no such part. */
  ranges?: true;
  /** The route returns plain text for `Accept: text/plain`. */
  text?: true;
  /** Maximum body size in bytes; defaults to 1 MiB, and to 64 KiB where the access is `public`. */
  bodyLimit?: number;
  limit?: RateLimit;
  /** Which of the limits per token the route counts against, where `access` is `token`; `submissions` unless set. */
  tokenLimit?: 'submissions' | 'polls';
}

export type Routes = Record<string, Route>;

/** Keeps literal types, so that handlers and clients are inferred from the value. */
export function defineRoutes<const R extends Routes>(routes: R): R {
  return routes;
}

type PartName = 'params' | 'query' | 'headers' | 'body';
type Part<R extends Route, K extends PartName> = R[K] extends z.ZodType
  ? object extends z.input<R[K]>
    ? { [P in K]?: z.input<R[K]> }
    : { [P in K]: z.input<R[K]> }
  : unknown;
type Parsed<R extends Route, K extends PartName> = R[K] extends z.ZodType
  ? { [P in K]: z.output<R[K]> }
  : unknown;

/** Query values are sent as text, so callers may pass numbers and booleans. */
type QueryInput<T> = { [K in keyof T]: T[K] | number | boolean };
type Query<R extends Route> = R['query'] extends z.ZodType
  ? object extends z.input<R['query']>
    ? { query?: QueryInput<z.input<R['query']>> }
    : { query: QueryInput<z.input<R['query']>> }
  : unknown;

/** What a caller sends. */
export type RouteInput<R extends Route> = Part<R, 'params'> & Query<R> & Part<R, 'headers'> & Part<R, 'body'>;
/** What a handler receives after validation. */
export type RouteRequest<R extends Route> = Parsed<R, 'params'> &
  Parsed<R, 'query'> &
  Parsed<R, 'headers'> &
  Parsed<R, 'body'>;
/** What a handler returns and a caller receives. */
export type RouteOutput<R extends Route> = z.output<R['response']>;
/** The bodies of its other statuses. */
export type RouteAlso<R extends Route> =
  R['also'] extends Partial<Record<number, infer S>> ? (S extends z.ZodType ? z.output<S> : never) : never;
/** One event of a route that can stream. */
export type RouteEvent<R extends Route> = R['events'] extends z.ZodType ? z.output<R['events']> : never;

import type { z } from 'zod';
import type { Scope } from './scopes.ts';

/**
 * Who may call a route. The daemon enforces it before anything else runs; clients only read it. `session` and `admin`
 * need a person's session; `token` needs an API token with one of the route's scopes.
 */
export type Access = 'public' | 'session' | 'admin' | 'token';

/** A fixed window per address of the caller; `message` is the text of the 429. */
export interface RateLimit {
  max: number;
  windowMs: number;
  message?: string;
  /** The field of the body that names an account, whose requests from everywhere are counted too. */
  account?: string;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: `/api/${string}`;
  access: Access;
  /** An API token with one of these scopes may call the route too, or alone where `access` is `token`. */
  scopes?: readonly Scope[];
  /** A browser may come here from another site: where a vendor sends it back to. */
  crossSite?: true;
  /** Success sends the browser elsewhere (302) and has no body. */
  redirect?: true;
  /** One imperative sentence without a full stop; the OpenAPI summary. */
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: z.ZodType;
  /** The field of the body whose text may hold NUL characters, which are refused everywhere else. */
  nulIn?: string;
  /** What the body is, where its bytes are taken as they come instead. */
  rawBody?: string;
  /** The status of success, 200 unless set. */
  status?: 200 | 201 | 202;
  response: z.ZodType;
  /** Other statuses with a body of their own, such as 503 on a health check. */
  also?: Partial<Record<number, z.ZodType>>;
  /** One event of the stream that the route answers to `Accept: text/event-stream`. */
  events?: z.ZodType;
  /** Plain text that the route answers to `Accept: text/plain`. */
  text?: true;
  /** The largest body in bytes, 1 MiB unless set. */
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

/** Query values travel as text, so a caller may give numbers and booleans. */
type Loose<T> = { [K in keyof T]: T[K] | number | boolean };
type Query<R extends Route> = R['query'] extends z.ZodType
  ? object extends z.input<R['query']>
    ? { query?: Loose<z.input<R['query']>> }
    : { query: Loose<z.input<R['query']>> }
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

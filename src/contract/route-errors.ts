import { z } from 'zod';

/** Every error status that a route may answer: the name of its component in the OpenAPI document, and its meaning. */
export const errorMeanings = {
  400: { name: 'BadRequest', description: 'The request is not valid, or the state does not allow it' },
  401: { name: 'Unauthenticated', description: 'The credential is missing or not valid' },
  403: { name: 'Forbidden', description: 'The caller, the host name or the origin is not allowed' },
  404: { name: 'NotFound', description: 'The object does not exist, or belongs to another user' },
  409: { name: 'Conflict', description: 'The request conflicts with an earlier one' },
  413: { name: 'BodyTooLarge', description: 'The body is too large' },
  415: { name: 'UnsupportedMediaType', description: 'The content type of the body is not supported' },
  416: { name: 'RangeNotSatisfiable', description: 'The file has no such part' },
  429: { name: 'TooManyRequests', description: 'Too many requests' },
  500: { name: 'InternalError', description: 'Internal server error' },
  501: { name: 'NotImplemented', description: 'Not available in this mode, or not set up' },
  503: { name: 'Unavailable', description: 'A service that the route needs is not available now' },
  507: { name: 'StorageFull', description: 'The disk is full' },
} as const;
export type ErrorStatus = keyof typeof errorMeanings;

/** The header that makes a request idempotent. */
export const idempotencyHeader = 'idempotency-key';

/** What of a route decides its errors. */
interface ErrorSources {
  method: string;
  access: string;
  params?: z.ZodObject | undefined;
  headers?: z.ZodObject | undefined;
  body?: unknown;
  rawBody?: unknown;
  ranges?: true | undefined;
  errors?: readonly ErrorStatus[] | undefined;
}

/**
 * The error statuses of a route, ascending: those that follow from what it declares, and its own. Any route answers 400
 * (a secret in the URL), 403 (the host gate), 429 (`limits.requestsPerMinute`) and 500.
 */
export function errorStatusesOf({
  method,
  access,
  params,
  headers,
  body,
  rawBody,
  ranges,
  errors = [],
}: ErrorSources): ErrorStatus[] {
  const hasBody = body !== undefined || rawBody !== undefined;
  // A value of a closed list that is not on it is refused as invalid.
  const namesObject = Object.values(params?.shape ?? {}).some((field) => !(field instanceof z.ZodEnum));
  const own = new Set<ErrorStatus>([
    ...([400, 403, 429, 500] as const),
    ...errors,
    ...(access === 'public' ? [] : ([401] as const)),
    ...(namesObject ? ([404] as const) : []),
    ...(idempotencyHeader in (headers?.shape ?? {}) ? ([409] as const) : []),
    ...(hasBody ? ([413, 415] as const) : []),
    ...(ranges ? ([416] as const) : []),
    // A route that writes may find the disk full, or the database not writable.
    ...(method === 'GET' ? [] : ([503, 507] as const)),
  ]);
  return [...own].sort((a, b) => a - b);
}

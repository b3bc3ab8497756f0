import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type $ZodIssue } from 'zod/v4/core';
import type { ErrorDetail } from '../contract/primitives.ts';
import type { Log } from '../core/log.ts';
import { AppError, type ErrorCode } from '../core/errors.ts';
import { type Failure, formError } from './error-forms.ts';

const statusOf: Record<ErrorCode, number> = {
  validation: 400,
  wrong_state: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  configuration: 500,
  unsupported: 501,
  unavailable: 503,
  storage_full: 507,
};

/** Errors of Fastify itself. */
const refusals: Record<string, [status: number, text: string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'The body is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'The body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'The body is not as long as its Content-Length says'],
  FST_ERR_BAD_URL: [400, 'The URL is not valid'],
  FST_ERR_MAX_LIMIT: [414, 'A part of the path is too long'],
  FST_ERR_ASYNC_CONSTRAINT: [400, 'The request is not valid'],
};

/** A body, query, header or path that did not pass its schema. */
export class ValidationFailure extends Error {
  readonly details: ErrorDetail[];
  constructor(issues: readonly $ZodIssue[]) {
    super('Validation failed');
    this.details = issues
      .slice(0, 50)
      .map(innermost)
      .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  }
}

/** Of a choice of forms, what is wrong with the one that fits best: the one whose fault lies deepest. */
function innermost(issue: $ZodIssue): $ZodIssue {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return issue;
  const inner = issue.errors.flatMap((branch) => branch.slice(0, 1));
  const deepest = inner.reduce((a, b) => (b.path.length > a.path.length ? b : a), inner[0] ?? issue);
  if (deepest === issue || deepest.path.length === 0) return issue;
  const { path, message } = innermost(deepest);
  return { ...issue, path: [...issue.path, ...path], message };
}

/** Seconds, unless the failure says otherwise; freeing disk space takes a person. */
const retryAfterOf: Record<number, number> = { 503: 1, 507: 30 };

/** Registers the handlers that convert errors to responses. */
export function handleErrors(
  server: FastifyInstance,
  log: Log,
  { isWorker = false }: { isWorker?: boolean } = {},
): void {
  server.setNotFoundHandler({}, (request, reply) =>
    send(request, reply, {
      status: 404,
      // The path is not repeated, because a mistyped one may contain a secret.
      message: isWorker
        ? 'This daemon has the role worker and serves only /api/health and /metrics. Use a daemon with the role all or api.'
        : `No such ${request.method} route. See /api/docs`,
    }),
  );
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = translate(error, request);
    if (failure.status >= 500) report(log, request, error);
    if (failure.status === 401) reply.header('www-authenticate', 'Bearer realm="svc"');
    if (error instanceof AppError && error.retryAfterMs !== undefined)
      reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
    return send(request, reply, failure);
  });
}

/** Logs an error; those that unauthenticated requests can cause get one short line. */
function report(log: Log, request: FastifyRequest, error: Error): void {
  const where = { requestId: request.id, route: request.routeOptions.url };
  if (error instanceof AppError && error.cause === undefined)
    log.warn({ ...where, reason: error.message }, 'request failed');
  else log.error({ ...where, err: error }, 'request failed');
}

function translate(error: FastifyError, request: FastifyRequest): Failure {
  const cause: unknown = error;
  if (cause instanceof ValidationFailure)
    return { status: 400, message: cause.message, details: cause.details };
  if (cause instanceof AppError) {
    const status = statusOf[cause.code];
    const { message, details } = cause;
    return { status, message, details, cause, ...(status >= 500 && { requestId: request.id }) };
  }
  const refusal = refusals[error.code];
  if (refusal) return { status: refusal[0], message: refusal[1] };
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return { status, message: error.message };
  return { status: 500, message: 'Internal server error', requestId: request.id };
}

/** The path of its route, or the one that was asked for where there is no route. */
const pathOf = ({ is404, guarded, url }: FastifyRequest) => (is404 ? url : (guarded?.url ?? url));

/** A response to a request that may succeed later says when; to no other. */
function send(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  const { status, body, headers = {} } = formError(pathOf(request), failure);
  const isLasting = failure.cause instanceof AppError && failure.cause.isLasting;
  const retryAfter = isLasting ? undefined : retryAfterOf[status];
  if (retryAfter !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfter);
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
}

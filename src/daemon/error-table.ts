import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type $ZodIssue } from 'zod/v4/core';
import type { ErrorBody, ErrorDetail } from '../contract/primitives.ts';
import type { Log } from '../core/log.ts';
import { AppError, type ErrorCode } from '../core/errors.ts';

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
      .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  }
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
    // The path is not repeated, because a mistyped one may contain a secret.
    reply.code(404).send({
      error: isWorker
        ? 'This daemon has the role worker and serves only /api/health and /metrics. Use a daemon with the role all or api.'
        : `No such ${request.method} route. See /api/docs`,
    } satisfies ErrorBody),
  );
  answerErrors(server, log);
}

/**
 * Registers the handler that converts errors to responses, for one scope of routes. Those of a protocol with errors of
 * its own give the body that it wants for a status and the body of any other route.
 */
export function answerErrors(
  server: FastifyInstance,
  log: Log,
  format: (status: number, body: ErrorBody) => object = (_, body) => body,
): void {
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, body } = translate(error, request);
    if (status >= 500) report(log, request, error);
    if (status === 401) reply.header('www-authenticate', 'Bearer realm="svc"');
    if (error instanceof AppError && error.retryAfterMs !== undefined)
      reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
    const isLasting = error instanceof AppError && error.isLasting;
    return send(reply, status, format(status, body), { isLasting });
  });
}

/** Logs an error; those that unauthenticated requests can cause get one short line. */
function report(log: Log, request: FastifyRequest, error: Error): void {
  const where = { requestId: request.id, route: request.routeOptions.url };
  if (error instanceof AppError && error.cause === undefined)
    log.warn({ ...where, reason: error.message }, 'request failed');
  else log.error({ ...where, err: error }, 'request failed');
}

function translate(error: FastifyError, request: FastifyRequest): { status: number; body: ErrorBody } {
  const cause: unknown = error;
  if (cause instanceof ValidationFailure)
    return { status: 400, body: { error: cause.message, details: cause.details } };
  if (cause instanceof AppError) {
    const status = statusOf[cause.code];
    return {
      status,
      body: {
        error: cause.message,
        ...(cause.details && { details: cause.details }),
        ...(status >= 500 && { requestId: request.id }),
      },
    };
  }
  const refusal = refusals[error.code];
  if (refusal) return { status: refusal[0], body: { error: refusal[1] } };
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return { status, body: { error: error.message } };
  return { status: 500, body: { error: 'Internal server error', requestId: request.id } };
}

/** A response to a request that may succeed later says when; to no other. */
function send(
  reply: FastifyReply,
  status: number,
  body: object,
  { isLasting }: { isLasting: boolean },
): FastifyReply {
  const retryAfter = isLasting ? undefined : retryAfterOf[status];
  if (retryAfter !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfter);
  return reply.code(status).type('application/json; charset=utf-8').send(body);
}

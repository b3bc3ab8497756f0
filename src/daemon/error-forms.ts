import { type ErrorFormName, errorFormOf } from '../contract/error-forms.ts';
import type { ErrorBody, ErrorDetail } from '../contract/primitives.ts';
import { AppError } from '../core/errors.ts';
import { toOpenAiError } from '../core/openai-api/to-openai-error.ts';
import { toJsonRpcError } from './mcp/json-rpc-error.ts';

/** What went wrong with a request, before it has a form. */
export interface Failure {
  status: number;
  message: string;
  details?: ErrorDetail[] | undefined;
  /** Where callers should name it when they report a fault. */
  requestId?: string | undefined;
  /** What was thrown, if anything was. */
  cause?: unknown;
}

/** An error as a door answers it. */
export interface FormedError {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

type ErrorForm = (failure: Failure) => FormedError;

const usual: ErrorForm = ({ status, message, details, requestId }) => ({
  status,
  body: {
    error: message,
    ...(details && { details }),
    ...(requestId !== undefined && { requestId }),
  } satisfies ErrorBody,
});

const codeOfStatus: Partial<Record<number, string>> = {
  401: 'invalid_api_key',
  403: 'insufficient_permissions',
  404: 'not_found',
  413: 'request_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limit_exceeded',
};

const openai: ErrorForm = ({ status, message, details, cause }) => {
  if (cause instanceof AppError) {
    const known = toOpenAiError(cause);
    return {
      status: known.status ?? status,
      body: { error: known.error },
      // The official packages repeat what may pass, unless told not to.
      ...(cause.isLasting && { headers: { 'x-should-retry': 'false' } }),
    };
  }
  const [first] = details ?? [];
  return {
    status,
    body: {
      error: {
        message: first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : message,
        type: status >= 500 ? 'server_error' : 'invalid_request_error',
        param: first?.path || null,
        code: first ? 'invalid_value' : (codeOfStatus[status] ?? null),
      },
    },
  };
};

const jsonRpc: ErrorForm = (failure) => ({ status: failure.status, body: toJsonRpcError(failure) });

const forms: Record<ErrorFormName, ErrorForm> = { openai, mcp: jsonRpc, a2a: jsonRpc };

/** Gives a failure the form that clients expect at a path, with or without a query. */
export function formError(path: string, failure: Failure): FormedError {
  const name = errorFormOf(path);
  return (name === undefined ? usual : forms[name])(failure);
}

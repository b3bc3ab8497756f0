import { RequestError } from '@agentclientprotocol/sdk';
import { ApiError } from '../../../contract/client.ts';

/** Codes of the protocol for statuses of the daemon; any other failure is an internal error. */
const codes: Record<number, number> = { 400: -32602, 401: -32000, 404: -32002, 413: -32602 };

/** A failure as an error of the protocol, whose message says in one line what happened and what to do next. */
export function requestErrorOf(error: unknown, formatError: (error: unknown) => string): RequestError {
  if (error instanceof RequestError) return error;
  const status = error instanceof ApiError ? error.status : undefined;
  const retryAfter = error instanceof ApiError ? error.retryAfter : undefined;
  return new RequestError(codes[status ?? 0] ?? -32603, formatError(error), {
    ...(status !== undefined && { status }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { safeText } from '../../text/safe-text.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { McpFailure } from './mcp-failure.ts';

/** What the SDK and the network throw, in words that hold no secret; what was thrown may, so it is not passed on. */
export function explainFailure(error: unknown, secrets: readonly string[]): McpFailure {
  const cause = error instanceof SdkError && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof McpFailure) return cause;
  return new McpFailure(inWords(cause, secrets));
}

function inWords(error: unknown, secrets: readonly string[]): string {
  if (error instanceof OutboundError) return safeText(error.message, secrets);
  if (error instanceof SdkHttpError) return ofStatus(error.data.status);
  if (error instanceof InsufficientScopeError) return ofStatus(403);
  if (error instanceof ProtocolError) return `it answered with an error: ${safeText(error.message, secrets)}`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return 'it did not answer in time';
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return 'it closed the connection';
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType)
    return 'it asks for something that svc does not give';
  return 'its answer is not MCP';
}

function ofStatus(status: number): string {
  if (status === 401 || status === 403)
    return `it refuses the credentials in its headers (HTTP status ${status})`;
  if (status >= 300 && status < 400) return `it redirects, which is not followed (HTTP status ${status})`;
  return `it answered with the HTTP status ${status}`;
}

/** Whether the request was refused because the session is over: it was not carried out. */
export const isSessionOver = (error: unknown): boolean =>
  error instanceof SdkHttpError && error.data.status === 404;

/** Whether the server speaks, and refuses the handshake of the protocol's earlier versions. */
export const isRefusedHandshake = (error: unknown): boolean =>
  error instanceof ProtocolError || (error instanceof SdkHttpError && error.data.status === 400);

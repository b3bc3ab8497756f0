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

/** Describes an error of the SDK or the network without secrets; drops the original error, because it may contain some. */
export function explainFailure(error: unknown, secrets: readonly string[]): McpFailure {
  const cause = error instanceof SdkError && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof McpFailure) return cause;
  return new McpFailure(describeFailure(cause, secrets));
}

function describeFailure(error: unknown, secrets: readonly string[]): string {
  if (error instanceof OutboundError) return safeText(error.message, secrets);
  if (error instanceof SdkHttpError) return describeStatus(error.data.status);
  if (error instanceof InsufficientScopeError) return describeStatus(403);
  if (error instanceof ProtocolError) return `it returned an error: ${safeText(error.message, secrets)}`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return 'it did not answer in time';
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return 'it closed the connection';
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType)
    return 'it requires a capability that svc does not support';
  return 'its response is not valid MCP';
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403)
    return `it rejected the credentials in its headers (HTTP status ${status})`;
  if (status >= 300 && status < 400)
    return `it redirects, and redirects are not followed (HTTP status ${status})`;
  return `it responded with HTTP status ${status}`;
}

/** Whether the request was rejected because the session expired; such a request was not executed. */
export const isSessionExpired = (error: unknown): boolean =>
  error instanceof SdkHttpError && error.data.status === 404;

/** Whether the server responded but rejected the handshake of earlier protocol versions. */
export const isRefusedHandshake = (error: unknown): boolean =>
  error instanceof ProtocolError || (error instanceof SdkHttpError && error.data.status === 400);

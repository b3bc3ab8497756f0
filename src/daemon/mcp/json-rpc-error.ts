/** JSON-RPC 2.0, section 5.1, and one of the range that it leaves to servers. */
const codes = { parse: -32_700, request: -32_600, internal: -32_603, server: -32_000 };

/** An error for a message that no server of the protocol has seen; its id is unknown then. */
export const jsonRpcError = (
  code: keyof typeof codes,
  message: string,
  id: string | number | null = null,
) => ({
  jsonrpc: '2.0',
  id,
  error: { code: codes[code], message },
});

/** The error of a route as JSON-RPC. */
export function toJsonRpcError({
  status,
  message,
  cause,
}: {
  status: number;
  message: string;
  cause?: unknown;
}) {
  if (status >= 500) return jsonRpcError('internal', message);
  if (status !== 400) return jsonRpcError('server', message);
  const isSyntax = cause instanceof Error && cause.cause instanceof SyntaxError;
  return jsonRpcError(isSyntax ? 'parse' : 'request', message);
}

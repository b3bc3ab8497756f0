import { headersFor } from '../../src/cli/commands/mcp/request-headers.ts';
import type { JsonRpcMessage } from '../../src/contract/mcp.ts';
import { readServerSentEvents } from '../../src/contract/server-sent-events.ts';
import type { TestDaemon } from './daemon.ts';

/** What a request of revision 2026-07-28 says of its client. */
export const framing = {
  protocolVersion: '2026-07-28',
  clientInfo: { name: 'test', version: '1' },
  clientCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
const PREFIX = 'io.modelcontextprotocol/';
/** The same as the request carries it. */
export const modernMeta = {
  [`${PREFIX}protocolVersion`]: framing.protocolVersion,
  [`${PREFIX}clientInfo`]: framing.clientInfo,
  [`${PREFIX}clientCapabilities`]: framing.clientCapabilities,
};

export interface McpAnswer {
  status: number;
  headers: Headers;
  /** The last message, which answers the request. */
  message: JsonRpcMessage | undefined;
}

/** Sends one message over streamable HTTP, with nothing that a client library would add or hold back. */
export async function postMcp(
  { url, headers }: Pick<TestDaemon, 'url' | 'headers'>,
  message: object,
  {
    more = {},
    credential = headers,
    signal,
  }: { more?: Record<string, string>; credential?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<McpAnswer> {
  const body = { jsonrpc: '2.0' as const, ...message };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...Object.fromEntries(
        Object.entries(headersFor(body, undefined)).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      ),
      ...credential,
      ...more,
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  return { status: response.status, headers: response.headers, message: await lastOf(response) };
}

async function lastOf(response: Response): Promise<JsonRpcMessage | undefined> {
  if (!response.headers.get('content-type')?.includes('event-stream')) {
    const text = await response.text();
    return text === '' ? undefined : (JSON.parse(text) as JsonRpcMessage);
  }
  let last: JsonRpcMessage | undefined;
  if (response.body)
    for await (const { data } of readServerSentEvents<JsonRpcMessage>(response.body)) last = data;
  return last;
}

/** Sends a request whose stream is read as it comes: what it has by the first message of a kind, and all of it at its end. */
export function streamMcp(
  { url }: Pick<TestDaemon, 'url'>,
  message: object,
  headers: Record<string, string>,
  awaited = 'notifications/progress',
): { progress: Promise<string>; ended: Promise<string>; soFar: () => string } {
  const progress = Promise.withResolvers<string>();
  let text = '';
  const ended = fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  }).then(async ({ body }) => {
    const decoder = new TextDecoder();
    for await (const piece of body ?? []) {
      text += decoder.decode(piece as Uint8Array, { stream: true });
      if (text.includes(awaited)) progress.resolve(text);
    }
    return text;
  });
  ended.then(() => progress.reject(new Error(`The stream ended: ${text}`)), progress.reject);
  progress.promise.catch(() => undefined);
  return { progress: progress.promise, ended, soFar: () => text };
}

import type { JsonRpcMessage } from '../../../contract/mcp.ts';

interface MessageHeaders {
  accept: string;
  'mcp-protocol-version'?: string;
  'mcp-method'?: string;
  'mcp-name'?: string;
}

const META = 'io.modelcontextprotocol/protocolVersion';

/** Which parameter a request names in `Mcp-Name`. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * The headers of a message over streamable HTTP. Since revision 2026-07-28 they repeat what the message says; before, only
 * the revision that was agreed on.
 */
export function headersFor({ method, params }: JsonRpcMessage, agreed: string | undefined): MessageHeaders {
  const meta = params?.['_meta'] as Record<string, unknown> | undefined;
  const claimed = typeof meta === 'object' && meta !== null ? meta[META] : undefined;
  const accept = 'application/json, text/event-stream';
  if (typeof claimed !== 'string')
    return {
      accept,
      ...(agreed !== undefined && method !== 'initialize' && { 'mcp-protocol-version': agreed }),
    };
  const name = params?.[named[method ?? ''] ?? ''];
  return {
    accept,
    'mcp-protocol-version': encode(claimed),
    ...(method !== undefined && { 'mcp-method': encode(method) }),
    ...(typeof name === 'string' && { 'mcp-name': encode(name) }),
  };
}

/** What cannot stand in a header as it is goes as Base64, as the protocol says. */
const encode = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

import { version } from '../version.ts';
import type { StreamedRequest } from './streamed-exchange.ts';

/** What `fetch` is asked for, as it is sent; the default headers are added where they are not set. */
export async function readRequest({ method = 'GET', headers, body }: RequestInit): Promise<StreamedRequest> {
  const sent = await readBody(body);
  return {
    method,
    headers: { ...defaultHeaders, ...sent.headers, ...readHeaders(headers) },
    body: sent.body,
  };
}

const defaultHeaders = {
  accept: '*/*',
  'accept-encoding': 'gzip, br',
  'user-agent': `svc/${version}`,
};

function readHeaders(headers: RequestInit['headers']): Record<string, string> {
  const all: Record<string, string> = {};
  // What packages send is nearly always a plain object, which needs no copy that is checked once more.
  const isPlain = headers !== undefined && Object.getPrototypeOf(headers) === Object.prototype;
  const entries = isPlain ? Object.entries(headers as Record<string, string>) : new Headers(headers);
  for (const [name, value] of entries) all[name.toLowerCase()] = value.trim();
  return all;
}

async function readBody(
  body: RequestInit['body'],
): Promise<{ body: StreamedRequest['body']; headers?: Record<string, string> }> {
  if (body === undefined || body === null) return { body: null };
  if (typeof body === 'string' || body instanceof Uint8Array) return { body };
  const whole = new Response(body);
  const type = whole.headers.get('content-type');
  return { body: await whole.bytes(), ...(type !== null && { headers: { 'content-type': type } }) };
}

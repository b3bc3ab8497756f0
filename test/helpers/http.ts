import type { TestDaemon } from './daemon.ts';

export interface JsonAnswer {
  status: number;
  headers: Headers;
  body: unknown;
  /** The `name=value` of the session that the answer sets. */
  cookie: string;
}

/** A request as a program without the client makes it, without a credential unless `headers` have one. */
export async function send(
  { url }: Pick<TestDaemon, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : text,
    cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '',
  };
}

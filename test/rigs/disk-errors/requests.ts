import type { RigDaemon } from '../crash/daemon-process.ts';

const HANG_MS = 15_000;

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  retryAfter: string | null;
}

/** Sends a request as the owner; one without an answer in time is a hang. */
export async function send(
  { url, headers }: RigDaemon,
  path: string,
  body?: Record<string, unknown>,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(HANG_MS),
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    retryAfter: response.headers.get('retry-after'),
  };
}

/** What is wrong with an answer while the disk fails; undefined if it is truthful. */
export function answerViolation(path: string, { status, body, retryAfter }: Answer): string | undefined {
  if (status < 300) return undefined;
  const text = `${path} ${status} ${JSON.stringify(body)}`;
  if (status !== 503 && status !== 507) return `unexpected answer: ${text}`;
  if (retryAfter === null) return `no Retry-After: ${text}`;
  if (typeof body['error'] !== 'string' || body['error'].length < 20) return `no clear error: ${text}`;
  return undefined;
}

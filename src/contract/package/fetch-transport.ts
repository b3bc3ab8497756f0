import { chunksOf } from '../chunks-of.ts';
import { ApiError, type FetchLike } from '../client.ts';

/** An event stream sends a heartbeat every 15 s, so a connection that is silent for this long is dead. */
const SILENCE_MS = 60_000;

/** No answer of a server: it cannot be reached, or the connection broke. The same request may succeed later. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The standard `fetch`, or one with the same parameters. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A transport over `fetch` that follows no redirect, so that no credential reaches another address. */
export const fetchTransport =
  (fetch: Fetch): FetchLike =>
  async (url, { signal, silenceMs, ...init }) => {
    const isStream = init.headers['accept'] === 'text/event-stream';
    const silence = silenceLimit(silenceMs ?? (isStream ? SILENCE_MS : 0));
    /** Does one thing on the network; the time until it is done counts as silence. */
    const attempt = async <T>(once: () => Promise<T>): Promise<T> => {
      silence.start();
      try {
        return await once();
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw error instanceof ConnectionError ? error : connectionError(url, error);
      } finally {
        silence.stop();
      }
    };
    const signals = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const response = await attempt(() => fetch(url, { ...init, redirect: 'manual', signal: signals }));
    const { status, headers } = response;
    const body = response.body && chunksOf(response.body, attempt);
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      throw new ApiError(status, {
        error: 'The server redirects, which is not followed: check the base URL',
      });
    }
    return { status, headers, body, text: () => textOf(body) };
  };

async function textOf(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (body) for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

function connectionError(url: string, cause: unknown): ConnectionError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = inner instanceof Error && inner.message !== '' ? `: ${inner.message}` : '';
  return new ConnectionError(`No answer from ${new URL(url).origin}${reason}`, { cause });
}

/** Aborts its signal when what was started is not stopped within `ms`; 0 never aborts. */
function silenceLimit(ms: number) {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    signal: controller.signal,
    start() {
      if (ms > 0)
        timer = setTimeout(
          () => controller.abort(new ConnectionError(`No data from the server for ${ms / 1000} s`)),
          ms,
        );
    },
    stop: () => clearTimeout(timer),
  };
}

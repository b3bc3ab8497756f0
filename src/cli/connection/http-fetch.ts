import type { ClientRequest, IncomingMessage } from 'node:http';
import type { FetchLike } from '../../contract/client.ts';

/** An event stream sends a heartbeat every 15 s, so a connection that is silent for this long is dead. */
const SILENCE_MS = 60_000;

/** `fetch` over node:http: the global one costs 50 ms at its first use, and so does importing node:http as a module. */
export const httpFetch: FetchLike = (url, { method, headers, body, signal, silenceMs = SILENCE_MS }) =>
  new Promise((resolve, reject) => {
    const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
    const sent: ClientRequest = request(
      url,
      {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
        agent: false,
        ...(signal && { signal }),
      },
      (response) => resolve(toResponse(response)),
    );
    sent.on('error', reject);
    sent.setTimeout(silenceMs, () => sent.destroy(new Error(`no answer for ${silenceMs / 1000} s`)));
    sent.end(body);
  });

function toResponse(response: IncomingMessage): Awaited<ReturnType<FetchLike>> {
  return {
    status: response.statusCode ?? 0,
    headers: {
      get(name) {
        const value = response.headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    async text() {
      const chunks: Uint8Array[] = [];
      for await (const chunk of response as AsyncIterable<Uint8Array>) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    },
    body: response as AsyncIterable<Uint8Array>,
  };
}

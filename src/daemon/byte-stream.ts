import type { FastifyReply } from 'fastify';
import { signalOf, STALL_MS, untilTaken } from './event-stream.ts';

/** Sends the pieces as they become available; a response that breaks off is not complete. */
export async function sendBytes(
  reply: FastifyReply,
  type: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': type,
    'content-disposition': 'attachment',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  const isHead = reply.request.method === 'HEAD';
  if (!isHead) raw.flushHeaders();
  const disconnected = signalOf(reply);
  try {
    if (!isHead)
      for await (const piece of pieces) if (!raw.write(piece)) await untilTaken(raw, disconnected, STALL_MS);
    raw.end();
  } catch (error) {
    // The head is sent, so an error can only be shown by breaking the connection.
    raw.destroy();
    if (!disconnected.aborted) throw error;
  }
}

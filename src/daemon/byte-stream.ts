import type { FastifyReply } from 'fastify';
import { signalOf, STALL_MS, untilTaken } from './event-stream.ts';

export interface ByteStream {
  type: string;
  pieces: AsyncIterable<Uint8Array>;
  /** The number of all bytes, where it is known. */
  length?: number | undefined;
}

/** Sends the pieces as they become available; a response that breaks off is not complete. */
export async function sendBytes(reply: FastifyReply, { type, pieces, length }: ByteStream): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(reply.statusCode, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': type,
    'content-disposition': 'attachment',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...(length !== undefined && { 'content-length': String(length) }),
  });
  if (reply.request.method === 'HEAD') raw.end();
  else await writePieces(reply, pieces, length);
}

/** Writes the body of a response whose head is written; `length` is the number of all bytes, where it is known. */
export async function writePieces(
  reply: FastifyReply,
  pieces: AsyncIterable<Uint8Array>,
  length?: number,
): Promise<void> {
  const { raw } = reply;
  raw.flushHeaders();
  const disconnected = signalOf(reply);
  let sent = 0;
  try {
    for await (const piece of pieces) {
      sent += piece.length;
      if (!raw.write(piece)) await untilTaken(raw, disconnected, STALL_MS);
    }
    if (length !== undefined && sent !== length)
      throw new Error(`A file of ${length} bytes had ${sent} when it was read`);
    raw.end();
  } catch (error) {
    // The head is sent, so an error can only be shown by breaking the connection.
    raw.destroy();
    if (!disconnected.aborted) throw error;
  }
}

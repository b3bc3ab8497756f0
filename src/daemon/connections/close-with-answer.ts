import type { Socket } from 'node:net';
import { rawAnswer } from '../raw-answers.ts';

/** A peer that sent something wrong has this long to read why, and to close its side. */
const LINGER_MS = 500;

/** Answers a connection that sent no valid request, and closes it regardless of the peer. */
export function closeWithAnswer(
  socket: Socket,
  status: number,
  error: string,
  extra: Record<string, string> = {},
): void {
  // It keeps sending after it was refused, or does not read.
  if (!socket.writable || socket.writableLength > 0) {
    socket.destroy();
    return;
  }
  socket.end(rawAnswer(status, error, extra));
  // Closed at once, what the peer sent meanwhile would make its system discard the answer.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

import type { Socket } from 'node:net';
import { closeWithAnswer } from './close-with-answer.ts';

const refusals: Record<string, [status: number, text: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of a chunk are too large'],
};

/** Refuses what is not HTTP, or comes too slowly; the connection ends with it. */
export function refuseClient(error: NodeJS.ErrnoException, socket: Socket, isAnswering: boolean): void {
  if (isAnswering || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  closeWithAnswer(
    socket,
    ...(refusals[error.code ?? ''] ?? ([400, 'The request is not valid HTTP'] as const)),
  );
}

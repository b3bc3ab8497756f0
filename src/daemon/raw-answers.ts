import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { formError } from './error-forms.ts';
import { securityHeaders } from './security-headers.ts';

const headers = {
  ...securityHeaders,
  'content-type': 'application/json; charset=utf-8',
  connection: 'close',
};

/** A whole answer in bytes, for a connection that has no request yet, with the headers of every other answer. */
export function rawAnswer(status: number, error: string, extra: Record<string, string> = {}): string {
  const body = JSON.stringify({ error });
  const lines = Object.entries({ ...headers, ...extra, 'content-length': Buffer.byteLength(body) });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}

/** Answers a request that reaches no route, in the form of its path. */
export function sendError(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify(formError(response.req.url ?? '', { status, message }).body);
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** What Node.js and the WebSocket library would answer themselves, without our headers. */
export function answerBelowRoutes(server: FastifyInstance): void {
  server.server.on('checkExpectation', (_request, response) => {
    sendError(response, 417, 'The only expectation that is met is 100-continue');
  });
  server.websocketServer.on('wsClientError', (_error, socket) => {
    socket.end(rawAnswer(400, 'The request is not a valid WebSocket handshake'));
  });
}

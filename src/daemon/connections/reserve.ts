import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { healthRoutes } from '../../contract/health.ts';
import { securityHeaders } from '../security-headers.ts';
import type { Connections } from './connections.ts';

const paths = new Set<string>([healthRoutes.get.path, healthRoutes.getReady.path]);
const RETRY_SECONDS = 5;

/** Handles on the reserve of connections only what asks for the health of the daemon, and one request on each. */
export function keepReserve(connections: Connections, handler: RequestListener): RequestListener {
  return (request, response) => {
    if (isOnReserve(connections, request)) {
      response.setHeader('connection', 'close');
      if (!paths.has(request.url?.split('?')[0] ?? '')) {
        refuse(response);
        return;
      }
    }
    handler(request, response);
  };
}

export const isOnReserve = (connections: Connections, { socket }: IncomingMessage): boolean =>
  connections.of(socket)?.isReserve === true;

function refuse(response: ServerResponse): void {
  response
    .writeHead(503, {
      ...securityHeaders,
      'content-type': 'application/json; charset=utf-8',
      'retry-after': String(RETRY_SECONDS),
    })
    .end(JSON.stringify({ error: 'Too many connections. Try again later.' }));
}

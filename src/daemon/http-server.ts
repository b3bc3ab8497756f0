import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { livePath } from '../contract/live-path.ts';
import type { Connections } from './connections/connections.ts';
import { isOnReserve, keepReserve } from './connections/reserve.ts';

export interface ServerTimeouts {
  headersMs: number;
  requestMs: number;
  keepAliveMs: number;
  /** How exactly the others are kept. */
  checkMs: number;
}

/** The HTTP server of Node.js, with the limits of the daemon on time and connections. */
export function createHttpServer(
  handler: RequestListener,
  connections: Connections,
  { headersMs, requestMs, keepAliveMs, checkMs }: ServerTimeouts,
): Server {
  const options = {
    maxHeaderSize: 16_384,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkMs,
    requireHostHeader: false,
    shouldUpgradeCallback: (request: IncomingMessage) =>
      isLiveUpgrade(request) && !isOnReserve(connections, request),
  };
  const server = createServer(options, keepReserve(connections, handler));
  connections.watch(server);
  return server;
}

/** Other upgrades are handled as ordinary requests (RFC 9110, section 7.8; RFC 6455, section 4.2.1). */
const isLiveUpgrade = ({ headers, httpVersion, method, url = '' }: IncomingMessage) =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  url.split('?')[0] === livePath &&
  method === 'GET' &&
  httpVersion === '1.1' &&
  headers['sec-websocket-version'] === '13';

import type { LiveMessage } from '../live.ts';
import { LiveClient, type LiveSocket } from '../live-client.ts';
import { livePath } from '../live-path.ts';
import { addressOf, credentialHeaders } from './create-client.ts';

export interface LiveOptions {
  /** Address of the daemon; in a browser the site of the page unless set. */
  baseUrl?: string;
  /** The value of the session cookie; a browser sends it. */
  session?: string;
  /** Called with each message. Ignore types that you do not know: a newer daemon may have more. */
  onMessage: (message: LiveMessage) => void;
  /** Called once, with the close code (RFC 6455). What changes from then on is not sent again: reconnect, and read what you show. */
  onClose?: (code: number) => void;
  /** In place of the global `WebSocket`, which Node.js has from version 22: the one of the package `ws` fits. */
  WebSocket?: new (url: string, options?: { headers: Record<string, string> }) => LiveSocket;
}

/** The live feed over one connection: `watch` chooses topics, `close` ends it. */
export type LiveConnection = Pick<LiveClient, 'watch'> & { close(): void };

/** Opens the live feed of the daemon. It needs a session; programs with an API token follow the event stream of a task. */
export function connectLive({
  baseUrl,
  session,
  onMessage,
  onClose,
  WebSocket,
}: LiveOptions): LiveConnection {
  const Socket: LiveOptions['WebSocket'] = WebSocket ?? globalThis.WebSocket;
  if (!Socket) throw new TypeError('There is no global WebSocket: pass the one of the package ws');
  const url = `${addressOf(baseUrl).replace(/^http/, 'ws').replace(/\/$/, '')}${livePath}`;
  // Browsers have no parameter for headers, and take an object for a protocol.
  const socket =
    session === undefined ? new Socket(url) : new Socket(url, { headers: credentialHeaders({ session }) });
  const live = new LiveClient(socket, onMessage);
  if (onClose) socket.addEventListener('close', ({ code }) => onClose(code));
  return { watch: (topics) => live.watch(topics), close: () => socket.close() };
}

import type { LiveMessage, LiveTopic } from '../../../contract/live.ts';
import { livePath } from '../../../contract/live-path.ts';
import { LiveClient } from '../../../contract/live-client.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type Connection, Unreachable } from '../../connection/connection.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

export interface LiveFeedOptions {
  onOpen?: () => void;
  onMessage: (message: LiveMessage) => void;
  /** What is received; everything unless given. */
  topics?: readonly LiveTopic[];
  /** Closes the feed. */
  signal: AbortSignal;
  /** The command that reconnects. */
  again?: string;
}

/** Follows the live feed of all events; rejects when the daemon closes it. */
export async function followLiveFeed(
  connection: Connection,
  { onOpen, onMessage, topics, signal, again = 'svc tasks watch' }: LiveFeedOptions,
): Promise<void> {
  const { target } = connection;
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(target.url.replace(/^http/, 'ws') + livePath, {
    headers: connection.credentials(),
  });
  const ended = Promise.withResolvers<void>();
  if (onOpen) socket.on('open', onOpen);
  const feed = new LiveClient(socket, onMessage);
  if (topics) feed.watch(topics).catch(ended.reject);
  socket.on('close', (code, reason) =>
    ended.reject(
      new CliError(
        exitCodes.unreachable,
        `The daemon closed the live feed (${code}${reason.length > 0 ? ` ${reason.toString('utf8')}` : ''}).`,
        { next: `Reconnect: ${again}` },
      ),
    ),
  );
  socket.on('error', (error) => ended.reject(new Unreachable(target, error)));
  signal.addEventListener('abort', () => ended.resolve());
  if (signal.aborted) ended.resolve();
  try {
    await ended.promise;
  } finally {
    socket.terminate();
  }
}

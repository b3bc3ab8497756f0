import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type LiveMessage, liveMessageSchema, type LiveTopic } from '../../src/contract/live.ts';
import { livePath } from '../../src/contract/live-path.ts';
import type { TestDaemon } from './daemon.ts';
import { until } from './tasks.ts';

export interface LiveReader {
  socket: WebSocket;
  /** Everything that was received; each message is held against the contract. */
  messages: LiveMessage[];
  /** The code with which the connection is closed. */
  closed: Promise<number>;
  /** Sends anything, and answers the next answer to it. */
  send(data: string | Buffer): Promise<LiveMessage>;
  /** Watches topics only. */
  watch(...topics: LiveTopic[]): Promise<LiveMessage>;
}

/** Connects to the live feed; the connection ends with the test. */
export async function connectLive(
  daemon: TestDaemon,
  headers: Record<string, string> = daemon.headers,
): Promise<LiveReader> {
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}${livePath}`, { headers });
  onTestFinished(() => socket.terminate());
  const messages: LiveMessage[] = [];
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('message', (data: Buffer) => {
    messages.push(liveMessageSchema.parse(JSON.parse(data.toString('utf8'))));
  });
  await once(socket, 'open');
  await until(() => expect(messages.length).toBeGreaterThan(0));
  const answers = () => messages.filter(({ type }) => type === 'watching' || type === 'error');
  const send = async (data: string | Buffer) => {
    const count = answers().length;
    socket.send(data);
    await until(() => expect(answers().length).toBeGreaterThan(count));
    return answers()[count] as LiveMessage;
  };
  return { socket, messages, closed, send, watch: (...watch) => send(JSON.stringify({ watch })) };
}

export const tasksOf = (messages: LiveMessage[]): Extract<LiveMessage, { type: 'task' }>[] =>
  messages.flatMap((message) => (message.type === 'task' ? [message] : []));

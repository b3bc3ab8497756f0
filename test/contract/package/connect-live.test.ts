import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { LiveMessage } from '../../../src/contract/live.ts';
import { connectLive } from '../../../src/contract/package/connect-live.ts';
import { createClient } from '../../../src/contract/package/create-client.ts';
import { runTask } from '../../../src/contract/package/run-task.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';

let daemon: TestDaemon;
let session: string;
beforeAll(async () => {
  daemon = await startDaemon();
  session = readFileSync(join(daemon.home, 'owner-session'), 'utf8');
});
afterAll(() => daemon[Symbol.asyncDispose]());

const sockets = [
  ['the global WebSocket', undefined],
  ['the WebSocket of ws', WebSocket],
] as const;

describe('the live connection of the client', () => {
  it.each(sockets)('receives what it watches over %s, and ends when it is closed', async (_, Socket) => {
    const received: LiveMessage[] = [];
    const closed = Promise.withResolvers<number>();
    const live = connectLive({
      baseUrl: daemon.url,
      session,
      onMessage: (message) => received.push(message),
      onClose: closed.resolve,
      ...(Socket && { WebSocket: Socket }),
    });
    await live.watch(['tasks']);
    const task = await runTask(createClient({ baseUrl: daemon.url, session }), {
      title: 'Watched',
      prompt: 'true',
      assignedAgent: 'command',
    });
    live.close();
    expect(await closed.promise).toBe(1005);
    expect(received[0]).toMatchObject({ type: 'hello' });
    const events = received.flatMap((message) => (message.type === 'task' ? [message] : []));
    expect(events.map(({ event }) => event.type)).toEqual(expect.arrayContaining(['created', 'started']));
    expect(new Set(events.map((each) => each.task.id))).toEqual(new Set([task.id]));
  });

  it.each(sockets.slice(0, 1))('is closed without a session', async () => {
    const closed = Promise.withResolvers<number>();
    const live = connectLive({ baseUrl: daemon.url, onMessage: () => undefined, onClose: closed.resolve });
    await expect(live.watch([])).rejects.toThrow('closed');
    expect(await closed.promise).toBe(1006);
  });
});

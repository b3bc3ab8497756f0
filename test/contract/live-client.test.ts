import { describe, expect, it } from 'vitest';
import { LiveClient, type LiveSocket } from '../../src/contract/live-client.ts';
import type { LiveMessage } from '../../src/contract/live.ts';

const at = '2026-01-01T00:00:00.000Z';
const hello: LiveMessage = { type: 'hello', at, version: '1.0.0' };

function connection() {
  const sent: unknown[] = [];
  const received: LiveMessage[] = [];
  const listeners: Record<string, ((event: never) => void)[]> = { message: [], close: [] };
  const socket: LiveSocket = {
    send: (text) => void sent.push(JSON.parse(text)),
    close: () => emit('close', { code: 1005 }),
    addEventListener: (type: string, listener: (event: never) => void) =>
      void listeners[type]?.push(listener),
  };
  const emit = (type: string, event: unknown) => {
    for (const listener of listeners[type] ?? []) listener(event as never);
  };
  return {
    client: new LiveClient(socket, (message) => void received.push(message)),
    sent,
    received,
    tell: (message: LiveMessage) => emit('message', { data: JSON.stringify(message) }),
    say: (text: string) => emit('message', { data: text }),
    close: () => emit('close', { code: 1006 }),
  };
}

describe('the client of the live feed', () => {
  it.each(['', 'null', '17', '[]', '{}', '{"type":1}', '<html>'])(
    'closes a feed that sends %j, which is no message',
    async (text) => {
      const { client, received, say, tell } = connection();
      tell(hello);
      const watching = client.watch(['tasks']);
      say(text);
      await expect(watching).rejects.toThrow('closed');
      expect(received).toEqual([hello]);
    },
  );

  it('watches topics once the daemon is there, and knows when it does', async () => {
    const { client, sent, received, tell } = connection();
    const first = client.watch(['tasks', 'task:task_1']);
    expect(sent).toEqual([]);
    tell(hello);
    expect(sent).toEqual([{ watch: ['tasks', 'task:task_1'] }]);
    const second = client.watch([]);
    expect(sent).toHaveLength(2);
    tell({ type: 'watching', at, topics: ['tasks', 'task:task_1'] });
    await first;
    tell({ type: 'watching', at, topics: [] });
    await second;
    expect(received.map(({ type }) => type)).toEqual(['hello', 'watching', 'watching']);
  });

  it('rejects what the daemon refuses, and nothing else', async () => {
    const { client, tell } = connection();
    tell(hello);
    const answers = Promise.allSettled([client.watch(['tasks']), client.watch(['queue'])]);
    tell({ type: 'error', at, message: 'Unknown topic: "tasks"' });
    tell({ type: 'watching', at, topics: ['queue'] });
    expect(await answers).toEqual([
      { status: 'rejected', reason: new Error('Unknown topic: "tasks"') },
      { status: 'fulfilled', value: undefined },
    ]);
  });

  it('rejects what waits when the connection closes, and what comes after', async () => {
    const { client, sent, close } = connection();
    const waiting = client.watch(['tasks']);
    close();
    await expect(waiting).rejects.toThrow('The live feed is closed');
    await expect(client.watch(['tasks'])).rejects.toThrow('The live feed is closed');
    expect(sent).toEqual([]);
  });
});

import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/contract/package/create-client.ts';
import { runTask } from '../../../src/contract/package/run-task.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { gatewayClient } from '../../helpers/gateway.ts';

let daemon: TestDaemon;
let token: string;
beforeAll(async () => {
  daemon = await startDaemon();
  ({ token } = await gatewayClient(daemon, { scopes: ['tasks:write', 'agents:command'] }));
});
afterAll(() => daemon[Symbol.asyncDispose]());

const command = (prompt: string) => ({ title: prompt, prompt, assignedAgent: 'command' });
const count = async () => (await daemon.client.tasks.list({ query: { limit: 1 } })).total;

/** A fetch that loses what `loses` names: the daemon has answered, and the answer does not arrive. */
const losing = (loses: (url: string, nth: number) => boolean) => {
  let nth = 0;
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    if (!loses(url, nth++)) return response;
    await response.body?.cancel();
    throw new TypeError('fetch failed');
  };
};

describe('running a task with the client', () => {
  it('resolves with the finished task, and has shown each event once and in order', async () => {
    const seen: number[] = [];
    const task = await runTask(createClient({ baseUrl: daemon.url, token }), command('echo hello'), {
      onEvent: ({ seq }) => seen.push(seq),
    });
    expect(task).toMatchObject({ status: 'completed', result: { output: 'hello\n' } });
    const { events } = await daemon.client.tasks.listEvents({ params: { id: task.id } });
    expect(seen).toEqual(events.map(({ seq }) => seq));
  });

  it('resolves with a failed task, which is in no queue of dead letters', async () => {
    const task = await runTask(createClient({ baseUrl: daemon.url, token }), command('exit 3'));
    expect(task).toMatchObject({ status: 'failed' });
    expect((await daemon.client.dlq.list()).total).toBe(0);
  });

  it('creates one task although the answers to its creation were lost', async () => {
    const before = await count();
    let away = 0;
    const fetch = losing((url, nth) => url.endsWith('/api/tasks') && nth < 2);
    const task = await runTask(createClient({ baseUrl: daemon.url, token, fetch }), command('echo once'), {
      onAway: () => away++,
    });
    expect([task.status, away, (await count()) - before]).toEqual(['completed', 2, 1]);
  });

  it('resumes behind the last event where the stream was lost', async () => {
    const seen: number[] = [];
    let streams = 0;
    const fetch = losing((url) => url.includes('/events') && streams++ < 2);
    await runTask(createClient({ baseUrl: daemon.url, token, fetch }), command('echo again'), {
      onEvent: ({ seq }) => seen.push(seq),
    });
    expect(streams).toBeGreaterThan(2);
    expect(seen).toEqual(seen.map((_, index) => index + 1));
  });

  it('cancels the task when its signal aborts', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    let id = '';
    const running = runTask(createClient({ baseUrl: daemon.url, token }), command('exec sleep 60'), {
      signal: stop.signal,
      onCreated: (task) => (id = task.id),
      onEvent: ({ type }) => type === 'started' && stop.abort(reason),
    });
    await expect(running).rejects.toBe(reason);
    expect((await daemon.client.tasks.get({ params: { id } })).task.status).toBe('cancelled');
  });

  it('cancels a task whose creation was under way when its signal aborted', async () => {
    const before = await count();
    const stop = new AbortController();
    const arrived = new EventTarget();
    const created = once(arrived, 'created');
    const held = async (url: string, init: RequestInit): Promise<Response> => {
      const response = await fetch(url, init);
      if (url.endsWith('/api/tasks')) {
        arrived.dispatchEvent(new Event('created'));
        await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
      }
      return response;
    };
    const running = runTask(
      createClient({ baseUrl: daemon.url, token, fetch: held }),
      command('exec sleep 60'),
      {
        signal: stop.signal,
      },
    );
    await created;
    stop.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    const { tasks, total } = await daemon.client.tasks.list({ query: { limit: 1 } });
    expect([total - before, tasks[0]?.status]).toEqual([1, 'cancelled']);
  });

  it('refuses at once what a retry cannot fix', async () => {
    const client = createClient({ baseUrl: daemon.url, token: 'svc_wrong' });
    await expect(runTask(client, command('true'))).rejects.toMatchObject({ name: 'ApiError', status: 401 });
    const narrow = createClient({
      baseUrl: daemon.url,
      token: (await gatewayClient(daemon, { scopes: ['tasks:read'] })).token,
    });
    await expect(runTask(narrow, command('true'))).rejects.toMatchObject({ status: 403 });
  });
});

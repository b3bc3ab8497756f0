import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { gatewayClient, manyRequests } from '../../helpers/gateway.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ flags: manyRequests });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const task = (env: Record<string, string>) => ({
  task: { title: 'Print', prompt: 'echo "[$WORD]"', assignedAgent: 'command', env },
});

describe('the environment variables of a gateway request', () => {
  it('are given to its command, and shown by their names only', async () => {
    const gateway = await gatewayClient(daemon, { scopes: ['gateway:write', 'agents:command'] });
    const { body } = await gateway.submit({ ...task({ WORD: 'h3llo' }), options: { synchronous: true } });
    expect(body).toMatchObject({ status: 'completed', result: { output: '[h3llo]\n' } });
    const stored = await daemon.client.tasks.get({ params: { id: body.taskId ?? '' } });
    expect(stored.task).toMatchObject({ envNames: ['WORD'] });
    expect(stored.task).not.toHaveProperty('env');
  });

  it('need the right to run commands, whatever the agent', async () => {
    const gateway = await gatewayClient(daemon);
    const { env } = task({ WORD: 'x' }).task;
    expect((await gateway.submit({ task: { title: 'Say it', env } })).status).toBe(403);
  });

  it('are part of what an idempotency key stands for, except those that only describe the shell', async () => {
    const gateway = await gatewayClient(daemon, { scopes: ['gateway:write', 'agents:command'] });
    const submit = (env: Record<string, string>) => gateway.submit(task(env), { key: 'with-env' });
    const first = await submit({ WORD: 'a', LANG: 'C' });
    expect(await submit({ WORD: 'a', LANG: 'nb_NO.UTF-8' })).toMatchObject({ status: 200, replay: 'true' });
    expect((await submit({ WORD: 'b' })).status).toBe(409);
    expect(first.status).toBe(202);
  });
});

import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../helpers/daemon.ts';
import { failingAdapter, follow, testAdapter } from '../../helpers/tasks.ts';

describe('GET /api/agents', () => {
  it('describes each agent with its statistics', async () => {
    const doing = testAdapter(async () => ({ output: 'done' }));
    await using daemon = await startDaemon({
      extraAdapters: [doing, { ...failingAdapter('auth'), type: 'failing' }],
    });
    for (const assignedAgent of ['test', 'test', 'failing']) {
      const { task } = await daemon.client.tasks.create({ body: { title: 'x', assignedAgent } });
      await follow(daemon.client, task.id);
    }
    const { agents } = await daemon.client.agents.list();
    const of = (type: string) => agents.find((agent) => agent.type === type);
    expect(agents.map(({ type }) => type)).toEqual((await daemon.client.agents.listTypes()).types);
    expect(of('test')).toEqual({
      type: 'test',
      name: 'Test',
      description: 'Does what the test says',
      capabilities: ['test'],
      configured: true,
      healthy: true,
      state: 'ready',
      isDefault: false,
      lastActivity: expect.any(String),
      stats: { completed: 2, failed: 0, avgDuration: expect.any(Number) },
    });
    expect(of('failing')).toMatchObject({ stats: { completed: 0, failed: 1, avgDuration: 0 } });
    expect(of('failing')).not.toHaveProperty('lastActivity');
    expect(of('http')).toMatchObject({ configured: false, healthy: false, message: expect.any(String) });
    expect(of('command')).toMatchObject({ configured: true, healthy: true });
  });

  it('says until when a usage limit keeps an agent from work', async () => {
    const closed = testAdapter(async () => ({ output: '' }), { closedForMs: () => 60_000 });
    await using daemon = await startDaemon({ extraAdapters: [closed] });
    // A cluster has the clock of its database, which it knows but for some milliseconds.
    const before = Date.now();
    const { agent } = await daemon.client.agents.get({ params: { type: 'test' } });
    expect(Date.parse(agent.closedUntil ?? '')).toBeGreaterThanOrEqual(before + 59_000);
    expect(Date.parse(agent.closedUntil ?? '')).toBeLessThanOrEqual(Date.now() + 61_000);
  });

  it('checks agents on demand, with one check for all callers', async () => {
    let checks = 0;
    const release = Promise.withResolvers<void>();
    const adapter = testAdapter(async () => ({ output: '' }), {
      checkHealth: async () => {
        checks++;
        await release.promise;
        return { healthy: false, message: 'Down', latencyMs: 7 };
      },
    });
    await using daemon = await startDaemon({ extraAdapters: [adapter] });
    expect(checks).toBe(0);
    const asked = Promise.all(Array.from({ length: 5 }, () => daemon.client.agents.list()));
    release.resolve();
    for (const { agents } of await asked)
      expect(agents.find(({ type }) => type === 'test')).toMatchObject({
        healthy: false,
        configured: true,
        message: 'Down',
        latencyMs: 7,
      });
    expect(checks).toBe(1);
  });

  it('names the default agent', async () => {
    await using daemon = await startDaemon({ flags: { 'agents.default': 'command' } });
    const { agents } = await daemon.client.agents.list();
    expect(agents.filter(({ isDefault }) => isDefault).map(({ type }) => type)).toEqual(['command']);
  });

  it('reports an agent as unhealthy when its check throws', async () => {
    const adapter = testAdapter(async () => ({ output: '' }), {
      checkHealth: () => Promise.reject(new Error('No route')),
    });
    await using daemon = await startDaemon({ extraAdapters: [adapter] });
    const { agents } = await daemon.client.agents.list();
    expect(agents.find(({ type }) => type === 'test')).toMatchObject({ healthy: false, message: 'No route' });
  });
});

import { expect, it, vi } from 'vitest';
import { describeCluster, startCluster } from '../../helpers/cluster.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { isPro } from '../../helpers/pro.ts';
import { follow, heldAdapter, testAdapter } from '../../helpers/tasks.ts';

const PATIENCE = { timeout: 15_000 };

const idOf = async ({ client }: TestDaemon) => (await client.cluster.get()).answeredBy;
const create = async ({ client }: TestDaemon, assignedAgent = 'test') =>
  (await client.tasks.create({ body: { title: 'A task', assignedAgent } })).task;

it.skipIf(isPro)('lists the one daemon of mode mini, and does not drain it', async () => {
  await using daemon = await startDaemon({ extraAdapters: [testAdapter(async () => ({ output: 'done' }))] });
  const report = await daemon.client.cluster.get();
  expect(report).toMatchObject({
    mode: 'mini',
    answeredBy: 'daemon',
    daemons: [{ id: 'daemon', role: 'all', state: 'ready', running: 0, drained: false }],
  });
  expect(report.daemons[0]?.agents).toContain('test');
  await expect(daemon.client.cluster.drain({ params: { id: 'daemon' }, body: {} })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('svc queue pause'),
  });
});

describeCluster('daemons of a cluster', () => {
  it('lists every daemon with its role, labels, agents and running tasks', async () => {
    const { adapter, started } = heldAdapter();
    await using cluster = await startCluster(2, (index) => ({
      extraAdapters: index === 0 ? [adapter] : [],
      flags: { 'daemon.name': `host-${index}`, 'daemon.labels': index === 0 ? ['gpu'] : [] },
    }));
    const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
    const [idA, idB] = [await idOf(a), await idOf(b)];
    expect(idA).not.toBe(idB);
    const { id } = await create(a);
    const run = await started(0);
    await vi.waitFor(async () => {
      const { daemons } = await b.client.cluster.get();
      expect(daemons).toMatchObject([
        { id: idA, name: 'host-0', labels: ['gpu'], running: 1, state: 'ready' },
        { id: idB, name: 'host-1', labels: [], running: 0, state: 'ready' },
      ]);
      expect(daemons.map(({ agents }) => agents.includes('test'))).toEqual([true, false]);
    }, PATIENCE);
    run.succeed();
    expect((await follow(a.client, id)).task.status).toBe('completed');
  });

  it('says whose agents are listed where other daemons may have others', async () => {
    await using cluster = await startCluster(2, (index) => ({ flags: { 'daemon.name': `web-${index}` } }));
    const [, b] = cluster.daemons as [TestDaemon, TestDaemon];
    await vi.waitFor(async () => expect((await b.client.agents.list()).daemon).toBe('web-1'), PATIENCE);
  });

  it('says whose setting was changed where each daemon has its own', async () => {
    await using cluster = await startCluster(1, { flags: { 'daemon.name': 'web-1' } });
    const [{ client }] = cluster.daemons as [TestDaemon];
    const change = (key: string, value: string | number) =>
      client.config.update({ params: { key }, body: { value } });
    expect(await change('backup.directory', '/tmp/backups')).toMatchObject({ daemon: 'web-1' });
    expect(await change('queue.retry.attempts', 4)).not.toHaveProperty('daemon');
  });

  it('runs a task on the daemon that has its agent, whichever created it', async () => {
    await using cluster = await startCluster(2, (index) => ({
      extraAdapters: index === 0 ? [testAdapter(async () => ({ output: 'by the first' }))] : [],
    }));
    const [, b] = cluster.daemons as [TestDaemon, TestDaemon];
    await vi.waitFor(async () => {
      const { daemons } = await b.client.cluster.get();
      expect(daemons.some(({ agents }) => agents.includes('test'))).toBe(true);
    }, PATIENCE);
    const task = await create(b);
    const { task: finished, events } = await follow(b.client, task.id);
    expect(finished).toMatchObject({ status: 'completed', attempts: 1, result: { output: 'by the first' } });
    expect(events.map(({ type }) => type)).not.toContain('waiting_for_agent');
  });

  it('drains a daemon from another one: it finishes its run, takes no more, and is not ready', async () => {
    const held = [heldAdapter(), heldAdapter()];
    await using cluster = await startCluster(2, (index) => ({
      extraAdapters: [held[index]!.adapter],
      flags: { 'queue.concurrency': 2 },
    }));
    const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
    const id = await idOf(a);
    const first = await create(a);
    const run = await held[0]!.started(0);
    await b.client.cluster.drain({ params: { id }, body: {} });
    await vi.waitFor(async () => {
      const ready = await fetch(`${a.url}/api/health/ready`);
      expect({ code: ready.status, body: await ready.json() }).toMatchObject({
        code: 503,
        body: { status: 'draining', reason: expect.stringContaining(`svc cluster resume ${id}`) },
      });
    }, PATIENCE);
    const second = await create(a);
    (await held[1]!.started(0)).succeed();
    expect((await follow(a.client, second.id)).task.status).toBe('completed');
    const stateOf = async () => (await b.client.cluster.get()).daemons.find((each) => each.id === id);
    expect(await stateOf()).toMatchObject({ state: 'draining', drained: false, running: 1 });
    run.succeed();
    expect((await follow(b.client, first.id)).task).toMatchObject({ status: 'completed', attempts: 1 });
    await vi.waitFor(
      async () => expect(await stateOf()).toMatchObject({ drained: true, running: 0 }),
      PATIENCE,
    );
    expect(held[0]!.runs).toHaveLength(1);

    await b.client.cluster.resume({ params: { id } });
    await vi.waitFor(
      async () => expect((await fetch(`${a.url}/api/health/ready`)).status).toBe(200),
      PATIENCE,
    );
    const third = await create(a);
    (await held[0]!.started(1)).succeed();
    expect((await follow(a.client, third.id)).task.status).toBe('completed');
  });

  it('moves a run that takes too long to another daemon when the time is up', async () => {
    const held = [heldAdapter(), heldAdapter()];
    await using cluster = await startCluster(2, (index) => ({ extraAdapters: [held[index]!.adapter] }));
    const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
    const task = await create(a);
    await held[0]!.started(0);
    await b.client.cluster.drain({ params: { id: await idOf(a) }, body: { timeoutSeconds: 0, stop: true } });
    (await held[1]!.started(0)).succeed();
    expect((await follow(b.client, task.id)).task).toMatchObject({ status: 'completed', attempts: 1 });
    await a.app.drain?.stopRequested;
  });

  it('answers 404 for a daemon that is not there', async () => {
    await using cluster = await startCluster(1);
    const [a] = cluster.daemons as [TestDaemon];
    const params = { id: 'daemon_none' };
    await expect(a.client.cluster.drain({ params, body: {} })).rejects.toMatchObject({ status: 404 });
  });

  it('runs on a worker what a daemon with the role api creates', async () => {
    const held = [heldAdapter(), heldAdapter()];
    await using cluster = await startCluster(2, (index) => ({
      extraAdapters: [held[index]!.adapter],
      flags: { 'daemon.role': index === 0 ? 'api' : 'worker' },
    }));
    const [api, worker] = cluster.daemons as [TestDaemon, TestDaemon];
    const { id } = await create(api);
    (await held[1]!.started(0)).succeed();
    expect((await follow(api.client, id)).task.status).toBe('completed');
    expect(held[0]!.runs).toHaveLength(0);

    for (const path of ['/api/health', '/api/health/ready'])
      expect((await fetch(`${worker.url}${path}`)).status).toBe(200);
    for (const path of ['/', '/api/tasks', '/api/healthy', '/metricsx']) {
      const response = await fetch(`${worker.url}${path}`, { headers: worker.headers });
      expect(response.status, path).toBe(404);
      expect(await response.text()).toContain('has the role worker');
    }
  });

  it('shows the daemons and Redis in the health report, and names the daemon in its metrics', async () => {
    await using cluster = await startCluster(2, (index) => ({ flags: { 'daemon.name': `host-${index}` } }));
    const [a] = cluster.daemons as [TestDaemon];
    const report = await a.client.health.getDetailed();
    expect(report.cluster?.daemons.map(({ name }) => name)).toEqual(['host-0', 'host-1']);
    expect(report.components.redis).toMatchObject({ status: 'healthy', details: { state: 'up' } });
    const metrics = await (await fetch(`${a.url}/metrics`, { headers: a.headers })).text();
    const samples = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(samples.filter((line) => !/^\w+\{daemon="host-0"[,}]/.test(line))).toEqual([]);
    expect(samples).toContainEqual(expect.stringMatching(/^svc_tasks\{daemon="host-0",status="queued"\} \d/));
  });
});

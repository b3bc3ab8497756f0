import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreateTask } from '../../src/contract/task.ts';
import { AgentFailure, type AgentRun } from '../../src/core/agents/agent-adapter.ts';
import { systemRuntime } from '../../src/core/runtime.ts';
import { describeCluster, startCluster } from '../helpers/cluster.ts';
import { type TestDaemon, temporaryFolder } from '../helpers/daemon.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { patienceMs } from '../helpers/long.ts';
import { follow, testAdapter, until } from '../helpers/tasks.ts';

const TEN_MINUTES = 10 * 60_000;
const hosts = ['a', 'b'] as const;
type Host = (typeof hosts)[number];

/** Two daemons on hosts of their own, of which b has the label gpu and the agent `only-b`. */
async function twoHosts(
  execute: (run: AgentRun) => Promise<unknown> = async () => undefined,
  /** Whether runs open their directories. */
  opens = { isOpen: true },
) {
  const runs: { host: Host; task: string }[] = [];
  let skipped = 0;
  const cluster = await startCluster(2, (index) => {
    const host = hosts[index] ?? 'a';
    const adapter = (type: string) =>
      testAdapter(
        async (run) => {
          runs.push({ host, task: run.task.id });
          if (opens.isOpen) await run.workspace();
          await execute(run);
          return { output: `on ${host}` };
        },
        { type },
      );
    return {
      env: { SVC_DAEMON_HOST: host, ...(host === 'b' && { SVC_DAEMON_LABELS: 'gpu' }) },
      // A clock that the test moves on.
      runtime: { ...systemRuntime, monotonic: () => systemRuntime.monotonic() + skipped },
      extraAdapters: [adapter('test'), ...(host === 'b' ? [adapter('only-b')] : [])],
    };
  });
  const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
  await until(() => expect(a.app.membership?.others).toHaveLength(1));
  return {
    a,
    b,
    of: { a, b },
    runs,
    skip: (ms: number) => void (skipped += ms),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

const create = async ({ client }: TestDaemon, body: Partial<CreateTask> = {}) =>
  client.tasks.create({ body: { title: 'A task', assignedAgent: 'test', ...body } });

const other = (host: Host): Host => (host === 'a' ? 'b' : 'a');
const failsThrice = 'Fails three times';

const repository = new GitRepository();
afterAll(() => rmSync(repository.root, { recursive: true, force: true }));

describeCluster('the host of a task', () => {
  const left = new Map<string, number>();
  let cluster: Awaited<ReturnType<typeof twoHosts>>;
  beforeAll(async () => {
    cluster = await twoHosts(async ({ task }) => {
      const tries = left.get(task.id) ?? (task.title === failsThrice ? 3 : 0);
      left.set(task.id, tries - 1);
      if (tries > 0) throw new AgentFailure('network', 'test', 'Try again');
    });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  it('runs what needs a label only on a daemon that has it, whichever creates it', async () => {
    const { a, b, runs } = cluster;
    const made = [];
    for (const daemon of [a, b, a, b, a]) made.push(await create(daemon, { needs: ['gpu'] }));
    for (const { task } of made) {
      expect((await follow(a.client, task.id)).task).toMatchObject({
        status: 'completed',
        needs: ['gpu'],
        daemon: { host: 'b' },
      });
    }
    const ids = new Set(made.map(({ task }) => task.id));
    const where = runs.flatMap(({ host, task }) => (ids.has(task) ? host : []));
    expect(where).toEqual(made.map(() => 'b'));
  });

  it.each<[string, Partial<CreateTask>, string]>([
    ['a label', { needs: ['tpu'] }, 'No daemon has the label tpu.'],
    ['a host', { needs: ['host:c'] }, 'No daemon has the label host:c.'],
    [
      'an agent and a label of two daemons',
      { assignedAgent: 'only-b', needs: ['host:a'] },
      'No daemon has both the agent "only-b" and the label host:a.',
    ],
  ])('says what is missing where no daemon has %s', async (_, body, message) => {
    const { a, b } = cluster;
    for (const daemon of [a, b]) {
      const { task, warnings } = await create(daemon, body);
      expect(warnings).toEqual([`The task waits for a daemon. ${message}`]);
      expect((await eventsOf(daemon, task.id)).at(-1)).toMatchObject({ type: 'waiting_for_agent', message });
    }
  });

  it('tries a task again where its directory is', async () => {
    const { a, b, runs } = cluster;
    const cwd = temporaryFolder();
    const made = [];
    for (const daemon of [a, b, a, b])
      made.push((await create(daemon, { title: failsThrice, cwd, worktree: false, maxAttempts: 4 })).task.id);
    for (const id of made) {
      const { task } = await follow(a.client, id);
      const where = runs.filter((run) => run.task === id).map(({ host }) => host);
      expect(task).toMatchObject({ status: 'completed', home: where[0], daemon: { host: where[0] } });
      expect(where).toEqual([task.home, task.home, task.home, task.home]);
    }
  });

  it('shows and discards the changes in a worktree on its host only', async () => {
    const { a, of } = cluster;
    const { task } = await create(a, { cwd: repository.root, worktree: true });
    const { id } = task;
    const home = ((await follow(a.client, id)).task.home ?? '') as Host;
    const there = { status: 409, message: expect.stringContaining(`on the host ${home}.`) };
    const { client } = of[other(home)];
    await expect(client.tasks.getChanges({ params: { id } })).rejects.toMatchObject(there);
    await expect(client.tasks.discardChanges({ params: { id }, body: {} })).rejects.toMatchObject(there);
    await of[other(home)].app.worktrees.tidy();
    expect((await of[home].client.tasks.getChanges({ params: { id } })).files).toEqual([]);
    expect(await of[home].client.tasks.discardChanges({ params: { id }, body: {} })).toMatchObject({
      status: 'discarded',
    });
  });

  it('repeats a task where it worked', async () => {
    const { a, b } = cluster;
    const made = await create(a, { cwd: temporaryFolder(), worktree: false });
    const first = (await follow(a.client, made.task.id)).task;
    const again = (await b.client.tasks.retry({ params: { id: first.id } })).task;
    expect((await follow(b.client, again.id)).task).toMatchObject({
      home: first.home,
      daemon: { host: first.home },
    });
  });

  it('lets a task without a directory go on anywhere', async () => {
    const { task } = await create(cluster.a);
    const done = (await follow(cluster.a.client, task.id)).task;
    expect(done).not.toHaveProperty('home');
    expect(done.daemon?.host).toMatch(/^[ab]$/);
  });

  it(
    'fails a task whose host is gone for ten minutes, and starts over where a person retries it',
    async () => {
      await using cluster = await strandedTask({ cwd: temporaryFolder(), worktree: false });
      const { survivor, id, gone, left } = cluster;
      const notice = { type: 'waiting_for_agent', message: expect.stringContaining(`the host ${gone},`) };
      await until(async () =>
        expect(await eventsOf(survivor, id)).toContainEqual(expect.objectContaining(notice)),
      );
      cluster.skip(TEN_MINUTES);
      const { task, events } = await follow(survivor.client, id);
      expect(task).toMatchObject({
        status: 'failed',
        home: gone,
        attempts: 0,
        error: { class: 'host_gone', message: expect.stringContaining(`svc tasks retry ${id}`) },
      });
      expect(events.filter(({ type }) => type === 'waiting_for_agent')).toHaveLength(1);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect((await survivor.client.dlq.list()).items).toMatchObject([{ taskId: id }]);
      const retried = (await survivor.client.tasks.retry({ params: { id } })).task;
      expect((await follow(survivor.client, retried.id)).task).toMatchObject({
        status: 'completed',
        home: left,
      });
    },
    3 * patienceMs,
  );

  it(
    'starts over on another host where no agent has worked in the worktree',
    async () => {
      await using cluster = await strandedTask({ cwd: repository.root, worktree: true });
      const { survivor, id, gone, left } = cluster;
      await survivor.app.database.write(({ db }) =>
        db
          .insertInto('worktrees')
          .values({
            task_id: id,
            host: gone,
            repository: `${repository.root}/.git`,
            checkout: repository.root,
            path: '/nowhere',
            subdirectory: '',
            branch: `svc/${id}`,
            base: repository.git('rev-parse', 'HEAD'),
            port_base: null,
            state: 'creating',
            created_at: new Date().toISOString(),
          })
          .execute(),
      );
      cluster.skip(TEN_MINUTES);
      const { task, events } = await follow(survivor.client, id);
      expect(task).toMatchObject({ status: 'completed', home: left, daemon: { host: left } });
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'requeued', message: expect.stringContaining('starts over') }),
      );
    },
    3 * patienceMs,
  );
});

/** A task whose first run was stopped with the daemon of its host. */
async function strandedTask(body: Partial<CreateTask>) {
  const gate = { isOpen: false };
  const cluster = await twoHosts(async ({ signal }) => {
    if (gate.isOpen) return;
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  }, gate);
  const { task } = await create(cluster.a, body);
  const gone = await until(() => {
    const [run] = cluster.runs;
    if (!run) throw new Error('It has not run');
    return run.host;
  });
  gate.isOpen = true;
  await cluster.of[gone].stop();
  return { ...cluster, id: task.id, gone, left: other(gone), survivor: cluster.of[other(gone)] };
}

const eventsOf = async ({ client }: TestDaemon, id: string) =>
  (await client.tasks.listEvents({ params: { id } })).events;

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentFailure } from '../../../src/core/agents/agent-adapter.ts';
import { type LoopbackServer, startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { gatewayClient } from '../../helpers/gateway.ts';
import { failingAdapter, follow, heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';
import { allEvents, toldTo } from '../../helpers/webhooks.ts';

const half = 'half of attempt ';
const doing = testAdapter(
  async ({ task: { prompt = 'done' } }) => ({ output: prompt, artifacts: [{ file: 'a' }], model: 'none' }),
  { type: 'doing' },
);
const talking = testAdapter(async () => ({ output: `${'x'.repeat(65_535)}😀 and more` }), {
  type: 'talking',
});
const failing = { ...failingAdapter('auth', 'Wrong key'), type: 'failing' };
const shaky = testAdapter(
  async ({ attempt }) => {
    if (attempt < 3) throw new AgentFailure('network', 'reset', 'Cut', { output: `${half}${attempt}` });
    return { output: 'whole' };
  },
  { type: 'shaky' },
);
const patient = testAdapter(
  async () => {
    throw new AgentFailure('rate_limited', 'busy', 'Later', { retryAfterMs: 3_600_000 });
  },
  { type: 'patient' },
);
const held = heldAdapter({ type: 'held' });

let receiver: LoopbackServer;
let daemon: TestDaemon;
let webhook: string;

const start = (home?: string) =>
  startDaemon({
    ...(home !== undefined && { home }),
    extraAdapters: [doing, talking, failing, shaky, patient, held.adapter],
    flags: { 'outbound.allowPrivate': ['127.0.0.0/8'] },
  });
const subscribe = async ({ client }: TestDaemon, events = allEvents) =>
  (await client.webhooks.create({ body: { url: receiver.url, events } })).webhook.id;

beforeAll(async () => {
  receiver = await startLoopbackServer((response) => response.writeHead(204).end());
  daemon = await start();
  webhook = await subscribe(daemon);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

async function create(body: { assignedAgent?: string; prompt?: string; maxAttempts?: number }) {
  const { task } = await daemon.client.tasks.create({ body: { title: 'Report', ...body } });
  return task.id;
}
const lastDelivery = (webhookId: string) =>
  daemon.app.database.read
    .selectFrom('webhook_deliveries')
    .select('body')
    .where('webhook_id', '=', webhookId)
    .where('event', '=', 'task.completed')
    .orderBy('id', 'desc')
    .executeTakeFirst();
const created = (id: string) => ['task.created', { id, title: 'Report', status: 'pending', source: 'api' }];
const started = (taskId: string, agentType: string) => ['agent.started', { taskId, agentType }];
const finished = (taskId: string, agentType: string, output: string) => [
  'agent.finished',
  { taskId, agentType, output },
];
const unmatched = (id: string) => [
  'task.waiting',
  {
    id,
    title: 'Report',
    reason: 'agent',
    message: expect.stringMatching(/^There is no agent "nobody"/) as string,
    until: null,
  },
];
const cancelled = (id: string) => ['task.cancelled', { id, title: 'Report' }];

describe('a webhook is notified', () => {
  it('notifies a webhook of a task that completes', async () => {
    const id = await create({ assignedAgent: 'doing', prompt: 'The report' });
    const { task } = await follow(daemon.client, id);
    const result = {
      success: true,
      output: 'The report',
      artifacts: [{ file: 'a' }],
      model: 'none',
      duration: expect.any(Number),
    };
    const said = await toldTo(daemon, webhook, id);
    expect(said).toStrictEqual([
      created(id),
      started(id, 'doing'),
      finished(id, 'doing', 'The report'),
      ['task.completed', { id, title: 'Report', result, duration: task.result?.duration }],
    ]);
    expect(said[3]?.[1]).toMatchObject({ result: task.result });
    const { body = '' } = (await lastDelivery(webhook)) ?? {};
    expect(JSON.parse(body)).toMatchObject({ event: 'task.completed', timestamp: task.completedAt });
  });

  it('notifies a webhook of a command', async () => {
    const id = await create({ assignedAgent: 'command', prompt: 'printf "%s" "$0 said"' });
    const { task } = await follow(daemon.client, id);
    const { output = '', duration } = task.result ?? {};
    expect(output).toMatch(/ said$/);
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([
      created(id),
      started(id, 'command'),
      finished(id, 'command', output),
      ['task.completed', { id, title: 'Report', result: task.result, duration }],
    ]);
  });

  it('notifies a webhook of a command that fails', async () => {
    const id = await create({ assignedAgent: 'command', prompt: 'echo half; exit 3', maxAttempts: 1 });
    const { task } = await follow(daemon.client, id);
    expect(task).toMatchObject({ status: 'failed', error: { code: 'exit_3' } });
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([
      created(id),
      started(id, 'command'),
      finished(id, 'command', 'half\n'),
      ['task.failed', { id, title: 'Report', error: task.error, attempts: 1 }],
    ]);
  });

  it('notifies a webhook of each run of a task that completes in the end', async () => {
    const id = await create({ assignedAgent: 'shaky' });
    const { task } = await follow(daemon.client, id);
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([
      created(id),
      started(id, 'shaky'),
      finished(id, 'shaky', `${half}1`),
      started(id, 'shaky'),
      finished(id, 'shaky', `${half}2`),
      started(id, 'shaky'),
      finished(id, 'shaky', 'whole'),
      ['task.completed', { id, title: 'Report', result: task.result, duration: task.result?.duration }],
    ]);
  });

  it('notifies a webhook once of a task that has no attempt left', async () => {
    const id = await create({ assignedAgent: 'shaky', maxAttempts: 2 });
    await follow(daemon.client, id);
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([
      created(id),
      started(id, 'shaky'),
      finished(id, 'shaky', `${half}1`),
      started(id, 'shaky'),
      finished(id, 'shaky', `${half}2`),
      [
        'task.failed',
        { id, title: 'Report', error: { class: 'network', code: 'reset', message: 'Cut' }, attempts: 2 },
      ],
    ]);
  });

  it('notifies a webhook of a task that fails all attempts, and again after it was requeued', async () => {
    const id = await create({ assignedAgent: 'failing' });
    await follow(daemon.client, id);
    const error = { class: 'auth', code: 'test', message: 'Wrong key' };
    const once = [
      started(id, 'failing'),
      finished(id, 'failing', ''),
      ['task.failed', { id, title: 'Report', error, attempts: 1 }],
    ];
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([created(id), ...once]);
    const { items } = await daemon.client.dlq.list();
    const letter = items.find(({ taskId }) => taskId === id)?.id ?? '';
    await daemon.client.dlq.retry({ params: { id: letter } });
    await until(async () =>
      expect(await toldTo(daemon, webhook, id)).toStrictEqual([created(id), ...once, ...once]),
    );
  });

  it('notifies a webhook of a task that is cancelled while no agent fits', async () => {
    const id = await create({ assignedAgent: 'nobody' });
    await daemon.client.tasks.cancel({ params: { id } });
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([created(id), unmatched(id), cancelled(id)]);
  });

  it('notifies a webhook of a task that is cancelled in the queue', async () => {
    await daemon.client.queue.pause();
    const id = await create({ assignedAgent: 'doing' });
    expect((await daemon.client.tasks.get({ params: { id } })).task.status).toBe('queued');
    await daemon.client.tasks.cancel({ params: { id } });
    await daemon.client.queue.resume();
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([created(id), cancelled(id)]);
  });

  it('notifies a webhook of a task that is cancelled between two attempts', async () => {
    const id = await create({ assignedAgent: 'patient' });
    await until(async () => expect(await toldTo(daemon, webhook, id)).toHaveLength(3));
    await daemon.client.tasks.cancel({ params: { id } });
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([
      created(id),
      started(id, 'patient'),
      finished(id, 'patient', ''),
      cancelled(id),
    ]);
  });

  it('notifies a webhook of a task that is cancelled while it runs', async () => {
    const id = await create({ assignedAgent: 'held' });
    await until(() => expect(held.runs.some(({ run }) => run.task.id === id)).toBe(true));
    await daemon.client.tasks.cancel({ params: { id } });
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([
      created(id),
      started(id, 'held'),
      finished(id, 'held', ''),
      cancelled(id),
    ]);
  });

  it('notifies a webhook of a retried task as a new one, and once per idempotency key', async () => {
    const id = await create({ assignedAgent: 'nobody' });
    await daemon.client.tasks.cancel({ params: { id } });
    const { task } = await daemon.client.tasks.retry({ params: { id } });
    expect(await toldTo(daemon, webhook, task.id)).toStrictEqual([created(task.id), unmatched(task.id)]);
    const body = { title: 'Report', assignedAgent: 'nobody', idempotencyKey: 'once' };
    const first = await daemon.client.tasks.create({ body });
    expect((await daemon.client.tasks.create({ body })).task.id).toBe(first.task.id);
    expect(await toldTo(daemon, webhook, first.task.id)).toStrictEqual([
      created(first.task.id),
      unmatched(first.task.id),
    ]);
  });

  it('notifies a webhook of a task of the gateway', async () => {
    const gateway = await gatewayClient(daemon);
    const { body } = await gateway.submit({
      task: { title: 'Report', assignedAgent: 'doing', source: 'cron' },
    });
    const id = body.taskId ?? '';
    await follow(daemon.client, id);
    const said = await toldTo(daemon, webhook, id);
    expect(said.map(([event]) => event)).toEqual([
      'task.created',
      'agent.started',
      'agent.finished',
      'task.completed',
    ]);
    expect(said[0]).toStrictEqual([
      'task.created',
      { id, title: 'Report', status: 'pending', source: 'cron' },
    ]);
  });

  it('notifies a webhook with the beginning of a long output', async () => {
    const id = await create({ assignedAgent: 'talking' });
    const { task } = await follow(daemon.client, id);
    // The character that the limit would halve is not begun.
    const output = `${'x'.repeat(65_535)}\n[… 11 more characters …]`;
    expect(await toldTo(daemon, webhook, id)).toStrictEqual([
      created(id),
      started(id, 'talking'),
      ['agent.finished', { taskId: id, agentType: 'talking', output, truncated: true }],
      [
        'task.completed',
        {
          id,
          title: 'Report',
          result: { ...task.result, output, truncated: true },
          duration: task.result?.duration,
        },
      ],
    ]);
  });

  it('notifies a webhook of imported tasks from their release on', async () => {
    const at = '2026-01-01T00:00:00.000Z';
    const imported = (id: string, status: string) => ({
      id,
      title: 'Report',
      status,
      assignedAgent: 'doing',
      createdAt: at,
      updatedAt: at,
    });
    const tasks = ['pending', 'completed', 'failed', 'cancelled'].map((status) =>
      imported(`task_${status}`, status),
    );
    const { imported: count } = await daemon.client.tasks.import({ body: { version: '1', tasks } });
    expect(count).toBe(4);
    for (const { id } of tasks) expect(await toldTo(daemon, webhook, id)).toEqual([]);
    await daemon.client.tasks.release({ params: { id: 'task_pending' } });
    await follow(daemon.client, 'task_pending');
    const said = await toldTo(daemon, webhook, 'task_pending');
    expect(said.map(([event]) => event)).toEqual(['agent.started', 'agent.finished', 'task.completed']);
  });
});

it('does not notify of a run that the daemon itself stopped', async () => {
  const home = temporaryFolder();
  const first = await start(home);
  const id = await subscribe(first);
  const { task } = await first.client.tasks.create({ body: { title: 'Report', assignedAgent: 'held' } });
  const runOf = (index: number) =>
    until(() => {
      const run = held.runs.filter(({ run: { task: of } }) => of.id === task.id)[index];
      if (!run) throw new Error('It has not started');
      return run;
    });
  await runOf(0);
  await first.stop();
  await using second = await start(home);
  const again = await runOf(1);
  const before = [created(task.id), started(task.id, 'held'), started(task.id, 'held')];
  expect(await toldTo(second, id, task.id)).toStrictEqual(before);
  again.succeed('whole');
  const { task: ended } = await follow(second.client, task.id);
  expect(await toldTo(second, id, task.id)).toStrictEqual([
    ...before,
    finished(task.id, 'held', 'whole'),
    [
      'task.completed',
      { id: task.id, title: 'Report', result: ended.result, duration: ended.result?.duration },
    ],
  ]);
});

it('notifies a webhook only of its events, and of tasks that its user may see', async () => {
  await using own = await start();
  const [ann, bob] = await Promise.all([addUser(own, 'ann'), addUser(own, 'bob')]);
  const body = { url: receiver.url, events: allEvents };
  const of = async (client: TestDaemon['client'], events = allEvents) =>
    (await client.webhooks.create({ body: { ...body, events } })).webhook.id;
  const anns = await of(ann.client);
  const annsEnds = await of(ann.client, ['task.completed']);
  const bobs = await of(bob.client);
  const owners = await of(own.client);
  const { task } = await ann.client.tasks.create({ body: { title: 'Report', assignedAgent: 'doing' } });
  await follow(ann.client, task.id);
  expect(await toldTo(own, anns)).toHaveLength(4);
  expect(await toldTo(own, annsEnds)).toMatchObject([['task.completed', { id: task.id }]]);
  expect(await toldTo(own, bobs)).toEqual([]);
  expect(await toldTo(own, owners)).toEqual(await toldTo(own, anns));
  const waiting = await ann.client.tasks.create({ body: { title: 'Report', assignedAgent: 'nobody' } });
  expect(await toldTo(own, anns)).toHaveLength(6);
  await own.client.users.update({ params: { id: 'user_ann' }, body: { disabled: true } });
  await own.client.tasks.cancel({ params: { id: waiting.task.id } });
  expect(await toldTo(own, anns)).toHaveLength(6);
  expect((await toldTo(own, owners)).slice(4)).toStrictEqual([
    created(waiting.task.id),
    unmatched(waiting.task.id),
    cancelled(waiting.task.id),
  ]);
});

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeAudit } from '../../src/contract/route-audit.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { isPro } from '../helpers/pro.ts';
import { send } from '../helpers/http.ts';
import { startLoopbackServer } from '../core/outbound/loopback-server.ts';
import { newPushBrowser } from '../helpers/push-browser.ts';
import { failingAdapter, follow, heldAdapter } from '../helpers/tasks.ts';

interface Call {
  /** The table that the call changes. */
  table: string;
  path: string;
  body?: unknown;
  /** What the entry says besides the names of the fields. */
  says?: object;
}

let daemon: TestDaemon;
let receiver: Awaited<ReturnType<typeof startLoopbackServer>>;
let number = 0;
beforeAll(async () => {
  receiver = await startLoopbackServer((response) => response.end());
  daemon = await startDaemon({
    extraAdapters: [failingAdapter('auth'), heldAdapter({ type: 'held' }).adapter],
    flags: { 'outbound.allowPrivate': ['127.0.0.0/8'] },
  });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const run = (statement: string) =>
  daemon.app.database.write(({ db }) => sql.raw(statement).execute(db)).then(() => undefined);
const newSchedule = async () =>
  (
    await daemon.client.schedules.create({
      body: { name: 'a', cron: '0 3 * * *', task: { title: 'a', assignedAgent: 'held' } },
    })
  ).schedule.id;
const newDeadLetter = async () => {
  const { client } = daemon;
  const { task } = await client.tasks.create({ body: { title: 'a', assignedAgent: 'test' } });
  await follow(client, task.id);
  return (await client.dlq.list()).items.find(({ taskId }) => taskId === task.id)?.id ?? '';
};
/** Unlike each other, and long enough to be remembered. */
const subjects = [
  ['Repair the lamps of the harbour after a storm', 'Dry the sockets before the fuse is replaced'],
  ['Tune a violin whose pegs slip in dry weather', 'Rub chalk on each peg and press while turning'],
  ['Measure the speed of a glacier from old maps', 'Align three peaks, then compare the moraines'],
  ['Clean a copper kettle without scratching it', 'Boil vinegar with salt and wipe along the grain'],
] as const;
let experiences = 0;
const newExperience = () => {
  const [intent, step] = subjects[experiences++ % subjects.length] ?? subjects[0];
  return { type: 'error_recovery' as const, intent, solution: [step], successScore: 1 };
};
const newWebhook = async () => {
  const { webhook } = await daemon.client.webhooks.create({
    body: { url: receiver.url, events: ['task.completed'] },
  });
  return webhook.id;
};
const exported = () => ({
  id: `task_imported_${number++}`,
  title: 'a',
  status: 'pending',
  createdAt: '2026-01-01T00:00:00.000Z',
});
const newDevice = async () => {
  const id = `dev_${number++}`;
  const at = new Date().toISOString();
  const columns = await sql<{ name: string; type: string; notnull: number }>`${sql.raw(
    isPro
      ? `select column_name as name, data_type as type, is_nullable = 'NO' as notnull
         from information_schema.columns where table_name = 'devices'`
      : `select name, type, "notnull" from pragma_table_info('devices')`,
  )}`.execute(daemon.app.database.read);
  const values = columns.rows.map(({ name, type, notnull }) => {
    if (name === 'id') return `'${id}'`;
    if (name === 'owner_id') return "'user_owner'";
    if (notnull === 0) return 'null';
    return type === 'integer' || type === 'bigint' ? '0' : `'${at}'`;
  });
  await run(`insert into devices (${columns.rows.map(({ name }) => name).join()}) values (${values.join()})`);
  return id;
};

const calls: Record<string, () => Promise<Call> | Call> = {
  'PATCH /api/auth/me': () => ({ table: 'users', path: '/api/auth/me', body: { bio: `${number++}` } }),
  'POST /api/auth/sign-in-links': () => ({
    table: 'one_time_tokens',
    path: '/api/auth/sign-in-links',
    body: {},
  }),
  'PATCH /api/devices/:id': async () => {
    const id = await newDevice();
    return { table: 'devices', path: `/api/devices/${id}`, body: { name: 'new name' }, says: { id } };
  },
  'PUT /api/notifications/push': () => ({
    table: 'push_subscriptions',
    path: '/api/notifications/push',
    body: newPushBrowser().subscription,
  }),
  'DELETE /api/notifications/push/:id': async () => {
    const body = newPushBrowser().subscription;
    const { id } = (await daemon.client.push.subscribe({ body })).subscription;
    return { table: 'push_subscriptions', path: `/api/notifications/push/${id}`, says: { id } };
  },
  'POST /api/devices/pairing/cleanup': async () => {
    await daemon.client.pairing.create({ body: { requesterId: 'one' } });
    await run("update pairing_requests set expires_at = '2020-01-01T00:00:00.000Z'");
    return { table: 'pairing_requests', path: '/api/devices/pairing/cleanup' };
  },
  'DELETE /api/chat/conversations/:id': async () => {
    const { id } = (await daemon.client.conversations.create({ body: {} })).conversation;
    return { table: 'conversations', path: `/api/chat/conversations/${id}`, says: { id } };
  },
  'POST /api/tasks/import': () => ({
    table: 'tasks',
    path: '/api/tasks/import',
    body: { version: '1', tasks: [exported()] },
  }),
  'POST /api/tasks/:id/release': async () => {
    const task = exported();
    await daemon.client.tasks.import({ body: { version: '1', tasks: [task] } });
    return { table: 'tasks', path: `/api/tasks/${task.id}/release`, says: { id: task.id } };
  },
  'POST /api/queue/pause': () => ({ table: 'state', path: '/api/queue/pause' }),
  'POST /api/queue/resume': async () => {
    await daemon.client.queue.pause();
    return { table: 'state', path: '/api/queue/resume' };
  },
  'POST /api/dlq/:id/retry': async () => {
    const id = await newDeadLetter();
    return { table: 'dead_letters', path: `/api/dlq/${id}/retry`, says: { id } };
  },
  'POST /api/dlq/:id/discard': async () => {
    const id = await newDeadLetter();
    return { table: 'dead_letters', path: `/api/dlq/${id}/discard`, says: { id } };
  },
  'POST /api/dlq/:id/resolve': async () => {
    const id = await newDeadLetter();
    return { table: 'dead_letters', path: `/api/dlq/${id}/resolve`, body: {}, says: { id } };
  },
  'POST /api/schedules': () => ({
    table: 'schedules',
    path: '/api/schedules',
    body: { name: 'a', cron: '0 3 * * *', task: { title: 'a' } },
    says: { id: expect.stringMatching(/^sched_/) as string },
  }),
  'PATCH /api/schedules/:id': async () => {
    const id = await newSchedule();
    return { table: 'schedules', path: `/api/schedules/${id}`, body: { name: 'b' }, says: { id } };
  },
  'POST /api/schedules/:id/run': async () => {
    const id = await newSchedule();
    const says = { id, taskId: expect.stringMatching(/^task_/) as string };
    return { table: 'schedules', path: `/api/schedules/${id}/run`, says };
  },
  'DELETE /api/schedules/:id': async () => {
    const id = await newSchedule();
    return { table: 'schedules', path: `/api/schedules/${id}`, says: { id } };
  },
  'POST /api/memory/sessions': () => ({
    table: 'memory_sessions',
    path: '/api/memory/sessions',
    body: { name: 'a' },
    says: { id: expect.stringMatching(/^memsess_/) as string },
  }),
  'POST /api/memory/sessions/:id/archive': async () => {
    const { id } = (await daemon.client.memory.createSession({ body: { name: 'a' } })).session;
    return { table: 'memory_sessions', path: `/api/memory/sessions/${id}/archive`, says: { id } };
  },
  'POST /api/memory/experiences': () => ({
    table: 'experiences',
    path: '/api/memory/experiences',
    body: newExperience(),
    says: { id: expect.stringMatching(/^exp_/) as string },
  }),
  'DELETE /api/memory/experiences/:id': async () => {
    const { id } = (await daemon.client.experiences.create({ body: newExperience() })).experience;
    return { table: 'experiences', path: `/api/memory/experiences/${id}`, says: { id } };
  },
  'POST /api/memory/experiences/decay': async () => {
    await daemon.client.experiences.create({ body: newExperience() });
    await run("update experiences set weighed_at = '2026-01-01T00:00:00.000Z'");
    return { table: 'experiences', path: '/api/memory/experiences/decay', body: { halfLifeDays: 30 } };
  },
  'POST /api/memory/experiences/prune': async () => {
    await daemon.client.experiences.create({ body: newExperience() });
    await run('update experiences set weight = 0.01');
    return { table: 'experiences', path: '/api/memory/experiences/prune', body: { minWeight: 0.5 } };
  },
  'DELETE /api/memory/preferences/:userId/:id': async () => {
    const { preference } = await daemon.client.preferences.track({
      body: { category: 'editor', value: `editor ${number++}` },
    });
    const { userId, id } = preference;
    return { table: 'preferences', path: `/api/memory/preferences/${userId}/${id}`, says: { id } };
  },
  'POST /api/webhooks/:id/test': async () => {
    const id = await newWebhook();
    const says = { id, deliveryId: expect.stringMatching(/^dlv_/) as string };
    return { table: 'webhook_deliveries', path: `/api/webhooks/${id}/test`, says };
  },
  'POST /api/webhooks/:id/deliveries/:deliveryId/redeliver': async () => {
    const id = await newWebhook();
    const { delivery } = await daemon.client.webhooks.sendTest({ params: { id } });
    const path = `/api/webhooks/${id}/deliveries/${delivery.id}/redeliver`;
    return { table: 'webhook_deliveries', path, says: { id, deliveryId: delivery.id } };
  },
};

async function callOf(key: string): Promise<Call> {
  const prepare = calls[key];
  if (!prepare) throw new Error(`There is no case for ${key}`);
  return prepare();
}

/** Makes the database refuse each entry of the audit log. */
const refusal = isPro
  ? [
      "create or replace function no_entries() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$",
      'create trigger no_entries before insert on audit_log for each row execute function no_entries()',
    ]
  : ["create trigger no_entries before insert on audit_log begin select raise(abort, 'no'); end"];
/** Those of a cluster need one: test/daemon/routes/cluster.test.ts. */
const together = Object.entries(routeAudit).flatMap(([key, audit]) =>
  'event' in audit && audit.after === undefined && !key.includes('/api/cluster/')
    ? [[key, audit.event] as const]
    : [],
);

describe('a change and its audit entry', () => {
  it('have a case here for each route that stores them together', () => {
    expect(Object.keys(calls).sort()).toEqual(together.map(([key]) => key).sort());
  });

  it.each(together)('are stored together or not at all: %s', async (key, event) => {
    const { table, path, body, says = {} } = await callOf(key);
    const method = key.split(' ')[0] ?? '';
    const call = () => send(daemon, method, path, body, daemon.headers);
    const rows = async () =>
      (await sql`select * from ${sql.table(table)} order by 1`.execute(daemon.app.database.read)).rows;
    const before = await rows();
    for (const statement of refusal) await run(statement);
    const refused = await call();
    const left = await rows();
    await run(isPro ? 'drop trigger no_entries on audit_log' : 'drop trigger no_entries');
    expect(refused.status, JSON.stringify(refused.body)).toBeGreaterThanOrEqual(500);
    expect(left).toEqual(before);
    const accepted = await call();
    expect(accepted.status, JSON.stringify(accepted.body)).toBeLessThan(300);
    expect(await rows()).not.toEqual(before);
    const { entries } = await daemon.client.audit.list({ query: { tool: event, limit: 1 } });
    expect(entries).toMatchObject([{ userId: 'user_owner', result: 'ok', arguments: says }]);
    expect((await daemon.client.audit.verify()).valid).toBe(true);
  });
});

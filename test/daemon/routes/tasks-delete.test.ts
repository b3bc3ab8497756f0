import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { runSql } from '../../helpers/daemon-rows.ts';
import { isPro } from '../../helpers/pro.ts';
import { failingAdapter, follow, heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';
import { auditedEvents } from '../../helpers/audit.ts';

const done = testAdapter(async () => ({ output: 'done' }));

async function finish({ client }: TestDaemon, body: object = {}) {
  const { task } = await client.tasks.create({
    body: { title: 'Fold the laundry', assignedAgent: 'test', ...body },
  });
  return (await follow(client, task.id)).task;
}
const remove = ({ client }: TestDaemon, id: string) => client.tasks.delete({ params: { id } });

describe('deleting a task', () => {
  it('removes it with its events, its counts, its text and its workspace', async () => {
    await using daemon = await startDaemon({ extraAdapters: [done] });
    const { app, client } = daemon;
    const kept = await finish(daemon);
    const task = await finish(daemon, { prompt: 'starch' });
    await app.database.engine.refreshTextIndex();
    const workspace = join(daemon.home, 'workspaces', task.id);
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, 'note'), 'x');
    expect((await client.tasks.filter({ query: { q: 'starch' } })).total).toBe(1);
    expect(await remove(daemon, task.id)).toEqual({ message: 'Task deleted' });
    await expect(client.tasks.get({ params: { id: task.id } })).rejects.toMatchObject({ status: 404 });
    expect((await client.tasks.filter({ query: { q: 'starch' } })).total).toBe(0);
    expect((await client.tasks.filter({ query: { q: 'laundry' } })).tasks.map(({ id }) => id)).toEqual([
      kept.id,
    ]);
    expect((await client.tasks.getAnalytics()).byStatus).toMatchObject({ completed: 1 });
    const events = await app.database.read.selectFrom('task_events').select('task_seq').execute();
    expect(new Set(events.map(({ task_seq }) => task_seq)).size).toBe(1);
    expect(existsSync(workspace)).toBe(false);
    expect(await auditedEvents(daemon)).toContain('tasks.deleted ok');
    // A word of the index whose row is gone would be an error here.
    const check = isPro
      ? 'select task_seq from task_words where task_seq not in (select seq from tasks)'
      : "insert into task_text (task_text) values ('integrity-check')";
    expect(await runSql(daemon, check)).toEqual([]);
  });

  it('again answers 404, as for every resource', async () => {
    await using daemon = await startDaemon({ extraAdapters: [done] });
    const { id } = await finish(daemon);
    await remove(daemon, id);
    await expect(remove(daemon, id)).rejects.toMatchObject({ status: 404 });
  });

  it('is refused with 409 while it is unfinished', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const { task } = await daemon.client.tasks.create({ body: { title: 'A', assignedAgent: 'test' } });
    await held.started(0);
    await expect(remove(daemon, task.id)).rejects.toMatchObject({
      status: 409,
      message: `A task that is in_progress cannot be deleted. Cancel it first: svc tasks cancel ${task.id}`,
    });
    await daemon.client.tasks.cancel({ params: { id: task.id } });
    await remove(daemon, task.id);
  });

  it('removes its dead letter and lets the source of the task create another one', async () => {
    await using daemon = await startDaemon({ extraAdapters: [failingAdapter('invalid_input')] });
    const { id } = await finish(daemon);
    await daemon.app.database.write(({ db }) =>
      db
        .insertInto('source_claims')
        .values({ provider: 'codehost', content_key: 'k', task_id: id, claimed_at: '2026-01-01' })
        .execute(),
    );
    expect((await daemon.client.dlq.list()).total).toBe(1);
    await remove(daemon, id);
    expect((await daemon.client.dlq.list({ query: { status: 'all' } })).total).toBe(0);
    // A claim without its task would keep the source from ever making a task again.
    expect(await daemon.app.database.read.selectFrom('source_claims').selectAll().execute()).toEqual([]);
  });

  it('keeps the promise of its idempotency key', async () => {
    await using daemon = await startDaemon({ extraAdapters: [done] });
    const body = { title: 'Once', assignedAgent: 'test', idempotencyKey: 'k' };
    const { task } = await daemon.client.tasks.create({ body });
    await follow(daemon.client, task.id);
    await remove(daemon, task.id);
    expect((await daemon.client.tasks.create({ body })).task.id).toBe(task.id);
    expect((await daemon.client.tasks.list()).total).toBe(0);
  });

  it('does not give its number to another task after a restart', async () => {
    const first = await startDaemon({ extraAdapters: [done] });
    const { id } = await finish(first, { prompt: 'starch' });
    await first.app.database.engine.refreshTextIndex();
    await remove(first, id);
    await first.stop();
    await using second = await startDaemon({ home: first.home, extraAdapters: [done] });
    await finish(second, { prompt: 'iron' });
    await until(async () => {
      await second.app.database.engine.refreshTextIndex();
      expect((await second.client.tasks.filter({ query: { q: 'iron' } })).total).toBe(1);
    });
    expect((await second.client.tasks.filter({ query: { q: 'starch' } })).total).toBe(0);
  });
});

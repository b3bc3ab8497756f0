import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { failingAdapter, follow } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon({ extraAdapters: [failingAdapter('quota', 'Nothing left')] });
  for (const title of ['a', 'b', 'c']) {
    const { task } = await daemon.client.tasks.create({ body: { title, assignedAgent: 'test' } });
    await follow(daemon.client, task.id);
  }
});
afterAll(() => daemon[Symbol.asyncDispose]());

const list = (query: Record<string, string | number | boolean> = {}) =>
  daemon.client.notifications.list({ query });

describe('GET /api/notifications', () => {
  it('lists notifications newest first in pages', async () => {
    const all = await list();
    expect(all).toMatchObject({ total: 3, unread: 3, limit: 50, offset: 0 });
    expect(all.notifications.map(({ title }) => title)).toEqual(
      ['c', 'b', 'a'].map((title) => `Task failed: ${title}`),
    );
    const page = await list({ limit: 1, offset: 1 });
    expect(page).toMatchObject({ total: 3, limit: 1, offset: 1 });
    expect(page.notifications).toEqual(all.notifications.slice(1, 2));
    for (const query of [{ limit: 0 }, { limit: 501 }, { offset: 'x' }, { unread: 'perhaps' }])
      await expect(list(query)).rejects.toMatchObject({ status: 400, message: 'Validation failed' });
  });
});

describe('POST /api/notifications/:id/read', () => {
  it('marks a notification read once', async () => {
    const [first] = (await list()).notifications;
    const read = () => daemon.client.notifications.markRead({ params: { id: first?.id ?? '' } });
    const { notification } = await read();
    expect(notification).toEqual({ ...first, readAt: expect.any(String) });
    expect((await read()).notification.readAt).toBe(notification.readAt);
    expect(await list({ unread: true })).toMatchObject({ total: 2, unread: 2 });
    expect(await list({ unread: false })).toMatchObject({ total: 3, unread: 2 });
    await expect(
      daemon.client.notifications.markRead({ params: { id: 'ntf_nothing' } }),
    ).rejects.toMatchObject({
      status: 404,
    });
  });

  it('notifies the owner of the task even when another user retries it', async () => {
    const ann = await addUser(daemon, 'ann');
    const { task } = await ann.client.tasks.create({ body: { title: 'Ann', assignedAgent: 'test' } });
    await follow(ann.client, task.id);
    expect((await ann.client.notifications.list()).notifications).toEqual([
      expect.objectContaining({ taskId: task.id, message: 'Nothing left' }),
    ]);
    const [item] = (await ann.client.dlq.list()).items;
    await daemon.client.dlq.retry({ params: { id: item?.id ?? '' } });
    await follow(ann.client, task.id);
    expect((await ann.client.notifications.list()).total).toBe(2);
    expect((await list()).total).toBe(3);
  });
});

describe('DELETE /api/notifications/:id', () => {
  it('removes it once', async () => {
    const { notifications, total } = await list();
    const remove = () => daemon.client.notifications.delete({ params: { id: notifications[0]?.id ?? '' } });
    expect(await remove()).toEqual({ message: 'Notification deleted' });
    expect((await list()).total).toBe(total - 1);
    await expect(remove()).rejects.toMatchObject({ status: 404 });
  });
});

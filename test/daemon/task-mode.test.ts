import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDaemon } from '../helpers/daemon.ts';
import { callsTools, startModelServer, useModel } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

it.each([
  ['an administrator', 'admin', 0],
  ['somebody who was one when the task was made', 'user', 1],
] as const)('the mode full is for a task of %s', async (_, role, asked) => {
  await using model = await startModelServer(
    callsTools([[{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }]]),
  );
  await using daemon = await startDaemon();
  await useModel(daemon, model);
  const ann = await addUser(daemon, 'ann', 'admin');
  await daemon.client.queue.pause();
  const { task } = await ann.client.tasks.create({
    body: { title: 'Write', prompt: 'Write it', assignedAgent: 'builtin', securityMode: 'full' },
  });
  await daemon.app.database.write(({ db }) =>
    db.updateTable('users').set({ role }).where('id', '=', 'user_ann').execute(),
  );
  await daemon.client.queue.resume();
  const file = join(daemon.home, 'workspaces', task.id, 'done.txt');
  if (asked > 0) {
    const approval = await until(async () => {
      const [found] = (await daemon.client.approvals.list()).approvals;
      if (!found) throw new Error('Nobody is asked yet');
      return found;
    });
    expect(existsSync(file)).toBe(false);
    await daemon.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'deny' } });
  }
  await follow(daemon.client, task.id);
  expect(existsSync(file)).toBe(asked === 0);
  const { approvals } = await daemon.client.approvals.list({ query: { status: 'all' } });
  expect(approvals).toHaveLength(asked);
});

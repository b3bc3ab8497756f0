import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

it.each([
  ['an administrator', 'admin', 0],
  ['a former administrator who created the task as one', 'user', 1],
] as const)('applies the mode full to a task of %s as far as its role allows', async (_, role, asked) => {
  await using both = await startModelDaemon(
    {},
    callsTools([[{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }]]),
  );
  const { daemon } = both;
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

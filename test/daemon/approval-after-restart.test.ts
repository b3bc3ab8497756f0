import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDaemon } from '../helpers/daemon.ts';
import { callsTools, startModelServer, useModel } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';

it.each([
  ['of this version', 'run_'],
  ['that an earlier version stored with another id', 'sess_'],
])('a task uses the approval that was given between two attempts of a run %s', async (_, prefix) => {
  await using model = await startModelServer(
    callsTools([[{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }]]),
  );
  const first = await startDaemon();
  const { home } = first;
  await useModel(first, model);
  const { task } = await first.client.tasks.create({
    body: { title: 'Write', prompt: 'Write it', assignedAgent: 'builtin', securityMode: 'ask' },
  });
  const approval = await until(async () => {
    const [found] = (await first.client.approvals.list()).approvals;
    if (!found) throw new Error('Nobody is asked yet');
    return found;
  });
  // So that the decision comes while no attempt is under way.
  await first.client.queue.pause();
  await first.stop();

  await using second = await startDaemon({ home });
  const { client } = second;
  const { id } = await second.app.database.read
    .selectFrom('agent_runs')
    .select('id')
    .where('task_id', '=', task.id)
    .executeTakeFirstOrThrow();
  expect(id).toMatch(/^run_/);
  const runId = id.replace('run_', prefix);
  await second.app.database.write(({ db }) =>
    db.updateTable('agent_runs').set({ id: runId }).where('id', '=', id).execute(),
  );
  expect((await client.approvals.list()).approvals).toEqual([approval]);
  await client.approvals.decide({ params: { id: approval.id }, body: { decision: 'allow-once' } });
  expect(model.asked).toHaveLength(1);
  await client.queue.resume();
  const { task: ended, events } = await follow(client, task.id);
  expect(ended).toMatchObject({ status: 'completed', result: { output: 'All done' } });
  expect(readFileSync(join(home, 'workspaces', task.id, 'done.txt'), 'utf8')).toBe('yes');
  expect((await client.approvals.list({ query: { status: 'all' } })).approvals).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'approval_requested')).toHaveLength(1);
  const starts = events.filter(({ data }) => data['type'] === 'session:start');
  expect(starts.map(({ data }) => data['sessionId'])).toEqual([id, runId]);
  const { entries } = await client.audit.list({ query: { tool: 'write_file' } });
  expect(entries.map(({ result }) => result.split(':')[0])).toEqual(['ok', 'intent', 'approved']);
});

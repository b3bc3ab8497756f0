import { expect, it } from 'vitest';
import type { AgentRun } from '../../src/core/agents/agent-adapter.ts';
import { compete, writer } from '../helpers/candidates.ts';
import { startDaemon } from '../helpers/daemon.ts';
import { leaveRunning, runSql } from '../helpers/daemon-rows.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { memoryFolder } from '../helpers/memory-folder.ts';
import { follow, until } from '../helpers/tasks.ts';

const waitForAbort = (run: AgentRun) =>
  new Promise<void>((_, reject) => {
    run.signal.addEventListener('abort', () => reject(run.signal.reason as Error));
  });

it('a daemon that died finds the candidates again, starts none twice, and loses no attempt', async () => {
  const home = memoryFolder();
  const repository = new GitRepository();
  const started: string[] = [];
  const first = await startDaemon({
    home,
    extraAdapters: [
      writer('one', { 'door.txt': 'blue\n' }),
      writer('two', {}, (run) => {
        started.push(run.task.id);
        return waitForAbort(run);
      }),
    ],
  });
  const agents = ['one', 'two', 'two'];
  const id = await compete(first, repository, { agents, count: 3 }, { maxAttempts: 1 });
  await until(() => expect(started).toHaveLength(2));
  const { candidates } = await first.client.tasks.getCandidates({ params: { id } });
  await until(async () => {
    const { task } = await first.client.tasks.get({ params: { id: candidates[0]?.taskId ?? '' } });
    expect(task.status).toBe('completed');
  });
  await first.stop();
  // One that has a single attempt does not run again after a crash.
  await leaveRunning(home, [id, candidates[1]?.taskId ?? '']);
  const runs: string[] = [];
  const two = writer('two', { 'door.txt': 'a\nb\nc\n' }, async (run) => void runs.push(run.task.id));
  await using second = await startDaemon({ home, extraAdapters: [writer('one', {}), two] });
  const { task } = await follow(second.client, id);
  expect(task).toMatchObject({
    status: 'completed',
    attempts: 1,
    result: {
      output: 'one is done',
      candidates: [
        { taskId: candidates[0]?.taskId, status: 'completed', isWinner: true },
        { taskId: candidates[1]?.taskId, status: 'failed' },
        { taskId: candidates[2]?.taskId, status: 'completed' },
      ],
    },
  });
  expect(runs).toEqual([candidates[2]?.taskId]);
  const { items } = await second.client.dlq.list();
  expect(items).toEqual([]);
});

it('a person chooses after a restart of the daemon, and hears of it once', async () => {
  const home = memoryFolder();
  const repository = new GitRepository();
  const extraAdapters = [writer('one', { 'a.txt': 'one\n' }), writer('two', { 'a.txt': 'two\n' })];
  const first = await startDaemon({ home, extraAdapters });
  const id = await compete(first, repository, { agents: ['one', 'two'], count: 2, pick: 'person' });
  const isWaiting = ({ client }: Pick<typeof first, 'client'>, times: number) =>
    until(async () => {
      const { events } = await client.tasks.listEvents({ params: { id } });
      expect(events.filter(({ data }) => data['waitsFor'] === 'pick')).toHaveLength(times);
    });
  await isWaiting(first, 1);
  await first.stop();
  await using second = await startDaemon({ home, extraAdapters });
  await isWaiting(second, 2);
  const { client } = second;
  const { notifications } = await client.notifications.list();
  expect(notifications.filter(({ type }) => type === 'candidates_to_compare')).toHaveLength(1);
  const { candidates } = await client.tasks.getCandidates({ params: { id } });
  const candidateId = candidates[1]?.taskId ?? '';
  await client.tasks.pick({ params: { id }, body: { candidateId } });
  const { task } = await follow(client, id);
  expect(task).toMatchObject({ status: 'completed', choice: { candidateId, by: 'person' } });
  expect(task.result?.output).toBe('two is done');
});

it('candidates of a task that was cancelled while no daemon ran are cancelled at the start', async () => {
  const home = memoryFolder();
  const extraAdapters = [writer('held', {}, waitForAbort)];
  const first = await startDaemon({ home, extraAdapters });
  const id = await compete(first, new GitRepository(), { agents: ['held'], count: 2 });
  await until(async () =>
    expect((await first.client.tasks.getCandidates({ params: { id } })).candidates).toHaveLength(2),
  );
  await first.stop();
  await runSql(first, `update tasks set status = 'cancelled' where id = ?`, id);
  await using second = await startDaemon({ home, extraAdapters });
  const { candidates } = await second.client.tasks.getCandidates({ params: { id } });
  expect(candidates.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
});

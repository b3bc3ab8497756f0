import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeCluster, startCluster, type TestCluster } from '../helpers/cluster.ts';
import { compete, writer } from '../helpers/candidates.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { patienceMs } from '../helpers/long.ts';
import { follow, until } from '../helpers/tasks.ts';

const hosts = ['a', 'b'] as const;
const repository = new GitRepository();
afterAll(() => rmSync(repository.root, { recursive: true, force: true }));

describeCluster('the candidates of a task on two hosts', () => {
  /** Where the agents of each task ran, by the id of the task. */
  const ran = new Map<string, string>();
  let cluster: TestCluster;
  let daemons: [TestDaemon, TestDaemon];
  beforeAll(async () => {
    cluster = await startCluster(2, (index) => {
      const host = hosts[index] ?? 'a';
      const noting = (type: string, files: Record<string, string>) =>
        writer(type, files, async ({ task }) => void ran.set(task.id, host));
      return {
        env: { SVC_DAEMON_HOST: host },
        extraAdapters: [
          noting('short', { 'door.txt': 'blue\n' }),
          noting('long', { 'door.txt': 'blue\nand\nred\n' }),
        ],
      };
    });
    daemons = cluster.daemons as [TestDaemon, TestDaemon];
    await until(() => expect(daemons[0].app.membership?.others).toHaveLength(1));
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const candidatesOf = async ({ client }: TestDaemon, id: string) =>
    (await client.tasks.getCandidates({ params: { id } })).candidates;

  it(
    'work on the host of the task, whichever daemon creates it',
    async () => {
      const agents = ['short', 'long'];
      const made: string[] = [];
      for (const daemon of [...daemons, ...daemons])
        made.push(await compete(daemon, repository, { agents, count: 2 }, { verify: ['test -f door.txt'] }));
      for (const [index, id] of made.entries()) {
        const { task } = await follow((daemons[index % 2] as TestDaemon).client, id);
        expect(task).toMatchObject({ status: 'completed', choice: { by: 'verify' } });
        const candidates = await candidatesOf(daemons[0], id);
        expect(candidates.map(({ status }) => status)).toEqual(['completed', 'completed']);
        expect(candidates.map((each) => ran.get(each.taskId))).toEqual([task.home, task.home]);
      }
    },
    3 * patienceMs,
  );

  it(
    'are chosen on one daemon for the task that waits on the other',
    async () => {
      const agents = ['short', 'long'];
      const id = await compete(daemons[0], repository, { agents, count: 2, pick: 'person' });
      await until(async () => {
        const { events } = await daemons[1].client.tasks.listEvents({ params: { id } });
        expect(events.map(({ data }) => data['waitsFor'])).toContain('pick');
      });
      const [first] = await candidatesOf(daemons[1], id);
      const { home } = (await daemons[0].client.tasks.get({ params: { id } })).task;
      const elsewhere = daemons[home === 'a' ? 1 : 0];
      const body = { candidateId: first?.taskId ?? '' };
      await elsewhere.client.tasks.pick({ params: { id }, body });
      const { task } = await follow(elsewhere.client, id);
      expect(task).toMatchObject({
        status: 'completed',
        home,
        choice: { by: 'person', candidateId: first?.taskId },
      });
    },
    3 * patienceMs,
  );
});

import { expect, it } from 'vitest';
import type { Flags } from '../../src/core/config/config.ts';
import { hasSandbox } from '../core/tools/commands/command-setup.ts';
import { scriptedAgent } from '../helpers/agents/scripted-agent.ts';
import { describeCluster } from '../helpers/cluster.ts';
import { startDaemon, temporaryFolder, type TestDaemonOptions } from '../helpers/daemon.ts';
import { inboundFlags } from '../helpers/inbound.ts';
import { openedPullRequest } from '../helpers/opened-pull-request.ts';
import { newProEnvironment } from '../helpers/pro-environment.ts';
import { follow, until } from '../helpers/tasks.ts';

const flags: Flags = { ...scriptedAgent, 'webhooks.inbound.followUpDelayMs': 0 };

describeCluster('a follow-up of a pull request (needs bubblewrap)', () => {
  it.skipIf(!hasSandbox.isWorking)(
    'runs on the host that has the worktree, whichever daemon GitHub reaches',
    async () => {
      const cluster = await newProEnvironment();
      const startOn = (host: string) => (options: TestDaemonOptions) =>
        startDaemon({ ...options, cluster, env: { HOME: temporaryFolder(), SVC_DAEMON_HOST: host } });
      {
        await using world = await openedPullRequest({
          start: startOn('a'),
          flags,
          work: async ({ client }, cwd) => {
            const body = { title: 'Work', prompt: '! echo 4 >> a.txt', assignedAgent: 'scripted', cwd };
            const { task } = await client.tasks.create({ body: { ...body, securityMode: 'allowlist' } });
            return (await follow(client, task.id)).task;
          },
        });
        await using other = await startOn('b')({ flags: { ...inboundFlags, ...flags } });
        const { first, branch, comment, reachAt, daemon } = world;
        await until(() => expect(other.app.membership?.others).toHaveLength(1));
        await until(() => expect(daemon.app.membership?.others).toHaveLength(1));
        reachAt(other);
        for (const number of [5, 6]) {
          const { status, taskId = '' } = await comment(`! echo ${number} >> a.txt`);
          expect(status).toBe('accepted');
          const { task } = await follow(other.client, taskId);
          expect(task).toMatchObject({
            status: 'completed',
            daemon: { host: 'a' },
            result: { changes: { branch } },
          });
        }
        const changes = await daemon.client.tasks.getChanges({ params: { id: first.id } });
        expect(JSON.stringify(changes)).toMatch(/\+4\\n\+5\\n\+6/);
      }
      await cluster.remove();
    },
  );
});

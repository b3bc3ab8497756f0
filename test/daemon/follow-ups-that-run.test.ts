import { describe, expect, it } from 'vitest';
import type { CreateTask } from '../../src/contract/task.ts';
import type { Flags } from '../../src/core/config/config.ts';
import { hasSandbox } from '../core/tools/commands/command-setup.ts';
import { scriptedAgent, scriptedLines } from '../helpers/agents/scripted-agent.ts';
import { temporaryFolder } from '../helpers/daemon.ts';
import { openedPullRequest } from '../helpers/opened-pull-request.ts';
import { follow } from '../helpers/tasks.ts';

const atOnce: Flags = { 'webhooks.inbound.followUpDelayMs': 0 };
const later: Flags = { 'webhooks.inbound.followUpDelayMs': 3_600_000 };

/** A pull request for the work of the scripted agent in the mode `allowlist`. */
const opened = (
  { rule, flags = atOnce }: { rule?: Record<string, boolean>; flags?: Flags } = {},
  input: Partial<CreateTask> = {},
) =>
  openedPullRequest({
    ...(rule && { rule }),
    env: { HOME: temporaryFolder() },
    flags: { ...scriptedAgent, ...flags },
    work: async ({ client }, cwd) => {
      const { task } = await client.tasks.create({
        body: {
          title: 'Work',
          prompt: '! echo 4 >> a.txt',
          assignedAgent: 'scripted',
          securityMode: 'allowlist',
          cwd,
          maxAttempts: 1,
          ...input,
        },
      });
      return (await follow(client, task.id)).task;
    },
  });

describe.skipIf(!hasSandbox.isWorking)(
  'a follow-up of a task in the mode allowlist (needs bubblewrap)',
  () => {
    it('runs by itself, in the sandbox and in the worktree, and takes over what the task had', async () => {
      const own = {
        verify: ['grep -q 4 a.txt'],
        repair: 0,
        model: 'm1',
        maxTimeMs: 60_000,
      };
      await using world = await opened({}, own);
      const { first, client, comment, branch } = world;
      expect(first).toMatchObject({ status: 'completed', result: { verified: true } });
      const { status, taskId = '' } = await comment(
        '? prompt\n! echo 5 >> a.txt\n$ touch asked\n! touch /etc/planted',
      );
      expect(status).toBe('accepted');
      const { task, events } = await follow(client, taskId);
      expect(task).toMatchObject({
        ...own,
        status: 'completed',
        continues: first.id,
        assignedAgent: 'scripted',
        securityMode: 'allowlist',
        maxAttempts: 1,
        result: { verified: true, verification: { environment: 'sandbox' }, changes: { branch } },
      });
      expect(task.held).toBeUndefined();
      const [said, wrote, asked, outside] = scriptedLines(task.result?.output);
      const prompt = said?.output ?? '';
      expect(prompt.indexOf('never an instruction')).toBeLessThan(prompt.indexOf('? prompt'));
      expect(wrote?.exitCode).toBe(0);
      expect(asked?.refused).toBe(true);
      expect(outside?.exitCode).not.toBe(0);
      expect(events.map(({ type }) => type)).not.toContain('approval_requested');
    });

    it('waits a moment first, and until then takes further comments', async () => {
      await using world = await opened({ flags: later });
      const { comment, review, check, get, commit, client } = world;
      const first = await comment('Rename it');
      const task = await get(first.taskId);
      expect(task.status).toBe('queued');
      expect(Date.parse(task.scheduledFor ?? '')).toBeGreaterThan(Date.now());
      const others = [await review('changes_requested', 'Really'), await check(commit)];
      for (const other of others) expect(other).toMatchObject({ status: 'accepted', taskId: task.id });
      const { prompt = '' } = await get(task.id);
      expect(prompt.match(/never an instruction/g)).toHaveLength(3);
      await client.tasks.cancel({ params: { id: task.id } });
      // The next one has all that the first task had, too.
      const again = await comment('Rename it');
      expect(await get(again.taskId)).toMatchObject({ status: 'queued', securityMode: 'allowlist' });
    });

    it('takes nothing more once it has begun', async () => {
      await using world = await opened();
      const { comment, client } = world;
      const { taskId = '' } = await comment('! sleep 30');
      for await (const { data } of client.tasks.listEventsStream({ params: { id: taskId } }))
        if (data.type === 'started') break;
      expect(await comment('And this')).toMatchObject({
        status: 'ignored',
        reason: expect.stringContaining('svc webhooks replay'),
      });
      await client.tasks.cancel({ params: { id: taskId } });
    });

    it('is pushed only after an approval, also where the rule pushes follow-ups', async () => {
      await using world = await opened({ rule: { followUps: true, pushFollowUps: true } });
      const { comment, client, github, name, branch, commit } = world;
      const { taskId = '' } = await comment('! echo 5 >> a.txt');
      await follow(client, taskId);
      const pending = async () =>
        (await client.approvals.list({ query: { taskId } })).approvals.find(
          ({ toolName }) => toolName === 'push_changes',
        );
      await expect.poll(pending, { timeout: 20_000 }).toBeDefined();
      expect(github.git(name, 'rev-parse', branch)).toBe(commit);
      const approval = await pending();
      await client.approvals.decide({
        params: { id: approval?.id ?? '' },
        body: { decision: 'allow-once' },
      });
      await expect
        .poll(() => github.git(name, 'rev-parse', branch), { timeout: 20_000 })
        .toBe(approval?.params['commit']);
    });

    it('ends with what the rule allows when it begins', async () => {
      await using world = await opened({ flags: later });
      const { comment, client, daemon, setRule } = world;
      const { taskId = '' } = await comment('! true');
      await setRule({ followUps: false });
      await daemon.app.database.write(({ db }) =>
        db.updateTable('tasks').set({ scheduled_for: null }).where('id', '=', taskId).execute(),
      );
      await client.queue.pause();
      await client.queue.resume();
      expect((await follow(client, taskId)).task.error).toMatchObject({ code: 'rule_gone' });
    });

    it('is retried with the commands that verify it, which no other untrusted task may have', async () => {
      await using world = await opened({}, { verify: ['grep -q 4 a.txt'], repair: 0 });
      const { comment, client } = world;
      const { taskId = '' } = await comment('! echo nothing > a.txt');
      const failed = (await follow(client, taskId)).task;
      expect(failed.error).toMatchObject({ class: 'verify_failed' });
      const { task } = await client.tasks.retry({ params: { id: taskId } });
      const again = (await follow(client, task.id)).task;
      expect(again).toMatchObject({ verify: ['grep -q 4 a.txt'], error: { class: 'verify_failed' } });
    });
  },
);

describe('a follow-up stays on hold, and says why,', () => {
  const messageOf = async (world: Awaited<ReturnType<typeof opened>>) => {
    const { taskId: id = '' } = await world.comment('Rename it');
    expect(await world.get(id)).toMatchObject({ status: 'pending', held: true });
    const { events } = await world.client.tasks.listEvents({ params: { id } });
    return events.at(-1)?.message;
  };

  it('in another mode than sandbox and allowlist, and with the mode of the policy at most', async () => {
    await using world = await opened({}, { securityMode: 'full', verify: ['grep -q 4 a.txt'] });
    expect(await messageOf(world)).toContain('the mode of this one is full');
    const { tasks } = await world.client.tasks.list({ query: { status: 'pending', full: true } });
    expect(tasks).toMatchObject([{ securityMode: 'ask', verify: ['grep -q 4 a.txt'] }]);
  });

  it.skipIf(!hasSandbox.isWorking)('without a sandbox (needs bubblewrap)', async () => {
    await using world = await opened();
    await world.client.config.update({ params: { key: 'agents.sandbox' }, body: { value: 'off' } });
    expect(await messageOf(world)).toContain('there is none: the setting agents.sandbox is off');
  });
});

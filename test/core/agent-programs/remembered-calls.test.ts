import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runEventOf } from '../../../src/contract/task-run-events.ts';
import { scriptedAgent, scriptedLines } from '../../helpers/agents/scripted-agent.ts';
import { startDaemon, temporaryFolder } from '../../helpers/daemon.ts';

it('asks once for a call that is always allowed, and again where one byte of it differs', async () => {
  await using daemon = await startDaemon({ flags: scriptedAgent });
  const { client } = daemon;
  const cwd = realpathSync(temporaryFolder());
  execFileSync('git', ['init', '-q', cwd]);
  const { task } = await client.tasks.create({
    body: {
      title: 'Touch',
      prompt: '$ touch one.txt\n$ touch one.txt\n$ touch one.txu\n',
      assignedAgent: 'scripted',
      cwd,
      worktree: false,
      securityMode: 'ask',
    },
  });
  const params = { id: task.id };
  const asked: unknown[] = [];
  for await (const { data: event } of client.tasks.listEventsStream({ params })) {
    const run = runEventOf(event);
    if (run?.type !== 'approval:requested') continue;
    const { approval } = run.data;
    asked.push(approval.params['command']);
    const decision = asked.length === 1 ? 'allow-always' : 'deny';
    await client.approvals.decide({ params: { id: approval.id }, body: { decision } });
  }
  expect(asked).toEqual(['touch one.txt', 'touch one.txu']);
  const { result } = (await client.tasks.get({ params })).task;
  expect(scriptedLines(result?.output).map(({ refused }) => refused)).toEqual([undefined, undefined, true]);
  const status = execFileSync('git', ['-C', cwd, 'status', '--porcelain', '-uall'], { encoding: 'utf8' });
  expect(status).toBe('?? one.txt\n');
});

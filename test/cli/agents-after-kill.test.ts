import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import { changeable, processesOf } from '../helpers/agents/played-agents.ts';
import { player } from '../helpers/agents/transcripts.ts';
import { temporaryFolder } from '../helpers/daemon.ts';
import { hasSharedFixtures } from '../helpers/shared-fixture.ts';
import { follow, until } from '../helpers/tasks.ts';
import { ensureBuilt, SvcHome } from './svc-binary.ts';

const scriptedAgent = fileURLToPath(new URL('../helpers/agents/scripted-acp-agent.ts', import.meta.url));

beforeAll(ensureBuilt);

/** A client of the daemon that runs for the home. */
function clientOf({ folder, port }: SvcHome) {
  const headers = { cookie: `${sessionCookie}=${readFileSync(join(folder, 'owner-session'), 'utf8')}` };
  return createClient(contract, {
    baseUrl: `http://127.0.0.1:${port}`,
    fetch: (url, init) => fetch(url, init),
    headers,
  });
}

function repository(): string {
  const cwd = realpathSync(temporaryFolder());
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], { cwd });
  git('init', '-q');
  writeFileSync(join(cwd, 'a.txt'), 'alpha\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'First');
  return cwd;
}

describe.runIf(hasSharedFixtures)('a daemon that is killed while an agent works', () => {
  it('leaves no process, keeps the worktree, and resumes the session with one outcome', async () => {
    await using home = await SvcHome.create();
    const transcript = changeable(realpathSync(temporaryFolder()));
    transcript.play('claude-stdio', 'cancel-tool');
    await home.svc(['config', 'set', 'agents.claude.program', process.execPath]);
    await home.svc(['config', 'set', 'agents.claude.args', JSON.stringify([player])]);
    await home.svc(['daemon', 'start']);
    const client = clientOf(home);
    const { task } = await client.tasks.create({
      body: {
        title: 'Work',
        prompt: 'Work',
        assignedAgent: 'claude',
        cwd: repository(),
        securityMode: 'full',
        env: { AGENT_TRANSCRIPT: transcript.path },
      },
    });
    for await (const { data } of client.tasks.listEventsStream({ params: { id: task.id } }))
      if (data.data['type'] === 'tool:call') break;
    expect(processesOf(task.id)).not.toEqual([]);

    process.kill(home.daemonPid, 'SIGKILL');
    await until(() => expect(processesOf(task.id)).toEqual([]));
    transcript.play('claude-stdio', 'answer');
    await home.svc(['daemon', 'start']);

    const { task: done, events } = await follow(clientOf(home), task.id);
    expect(done).toMatchObject({ status: 'completed', result: { output: 'All good here.' } });
    expect(events.filter(({ type }) => type === 'completed')).toHaveLength(1);
    const [first, second] = events
      .filter(({ data }) => data['type'] === 'agent:start')
      .map(({ data }) => data);
    expect(second).toMatchObject({ cwd: first?.['cwd'], sessionId: expect.any(String) as string });
  });
});

describe('a daemon that is killed while an agent answers in a chat', () => {
  it('leaves no process, and the next message is answered', async () => {
    await using home = await SvcHome.create();
    await home.svc(['config', 'set', 'agents.added'], {
      stdin: JSON.stringify({ scripted: { program: process.execPath, args: [scriptedAgent], env: {} } }),
    });
    await home.svc(['daemon', 'start']);
    const cwd = realpathSync(temporaryFolder());
    const { conversations } = clientOf(home);
    const { id } = (await conversations.create({ body: { cwd, agent: 'scripted' } })).conversation;
    const send = (content: string, { conversations: at } = clientOf(home)) =>
      at.sendMessageWithTools({ params: { id }, body: { content, securityMode: 'full' } });
    const broken = expect(send('! (setsid sleep 300 &) ; echo > started; sleep 300')).rejects.toThrow();
    await until(() => expect(existsSync(join(cwd, 'started'))).toBe(true));
    expect(processesOf(id)).not.toEqual([]);

    process.kill(home.daemonPid, 'SIGKILL');
    await broken;
    await home.svc(['daemon', 'start']);
    await until(() => expect(processesOf(id)).toEqual([]));
    const { assistantMessage } = await send('! echo again');
    expect(assistantMessage?.content).toContain('again');
  });
});

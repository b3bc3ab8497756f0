import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { send, type SendOptions } from '../../helpers/agents/agent-conversation.ts';
import { processesOf } from '../../helpers/agents/played-agents.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { until } from '../../helpers/tasks.ts';
import { hasSandbox } from '../tools/commands/command-setup.ts';

const helper = (name: string) => fileURLToPath(new URL(`../../helpers/agents/${name}`, import.meta.url));
const planted = `planted-${crypto.randomUUID()}`;
const folder = () => realpathSync(temporaryFolder());

interface Done {
  refused?: true;
  exitCode?: number;
  output?: string;
}

let daemon: TestDaemon;
let home: string;

/** A daemon with an agent that runs the commands of its prompts, and one that resumes its sessions. */
function start(flags: Record<string, unknown> = {}): Promise<TestDaemon> {
  const sessions = folder();
  const program = process.execPath;
  return startDaemon({
    env: { HOME: home },
    flags: {
      'agents.added': {
        scripted: { program, args: [helper('scripted-acp-agent.ts')], env: {} },
        toy: { program, args: [helper('scripted-acp.mjs'), sessions], env: {} },
      },
      'agents.sandboxPaths': [{ path: sessions, write: true }],
      ...flags,
    },
  });
}

async function open(agent: 'scripted' | 'toy', { cwd = folder(), at = daemon } = {}) {
  const { conversation } = await at.client.conversations.create({ body: { cwd, agent } });
  const { id } = conversation;
  return {
    id,
    cwd,
    /** Lets the scripted agent do these lines. */
    run: async (lines: string[], options: SendOptions = {}) => {
      const { events, answer } = await send(at, id, lines.join('\n'), options);
      return { events, done: JSON.parse(answer.content) as Done[] };
    },
    say: async (content: string, options: SendOptions = {}) =>
      (await send(at, id, content, options)).answer.content.split(' '),
  };
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: home },
  }).trim();

const notesIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'note' ? [event.data.message] : []));

beforeAll(async () => {
  home = folder();
  writeFileSync(join(home, 'notes.txt'), planted);
  daemon = await start();
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe.skipIf(!hasSandbox.isWorking)('a chat with an agent, in the sandbox (needs bubblewrap)', () => {
  it('works in its directory, and sees no file of the home directory', async () => {
    const { run, cwd } = await open('scripted');
    const { done } = await run([
      '! echo blue > door.txt',
      '! cat ~/notes.txt',
      `! cat ${daemon.home}/owner-session`,
    ]);
    expect(done.map(({ exitCode }) => exitCode === 0)).toEqual([true, false, false]);
    expect(JSON.stringify(done)).not.toContain(planted);
    expect(readdirSync(cwd)).toEqual(['door.txt']);
  });

  it('cannot write in the mode sandbox, and runs commands that only read', async () => {
    const { run, cwd } = await open('scripted');
    writeFileSync(join(cwd, 'door.txt'), 'red\n');
    const { done } = await run(['! echo x > file', '$ touch file', '$ cat door.txt'], { mode: 'sandbox' });
    expect(done.map(({ refused, exitCode }) => (refused ? 'refused' : exitCode === 0))).toEqual([
      false,
      'refused',
      true,
    ]);
    expect(readdirSync(cwd)).toEqual(['door.txt']);
  });

  it('is refused in the mode allowlist what the policy does not allow', async () => {
    const { run, cwd } = await open('scripted');
    const { done, events } = await run(['$ touch file'], { mode: 'allowlist' });
    expect(done).toMatchObject([{ refused: true }]);
    expect(events.find(({ type }) => type === 'complete')?.data).toMatchObject({
      refusedCalls: { count: 1 },
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('asks nobody in the mode full', async () => {
    const { run, cwd } = await open('scripted');
    const { events } = await run(['$ touch file'], { mode: 'full' });
    expect(events.filter(({ type }) => type === 'approval:requested')).toEqual([]);
    expect(readdirSync(cwd)).toEqual(['file']);
  });

  it('continues its session in another process where the directory is only read', async () => {
    const { say } = await open('toy');
    const [asking, session] = await say('one');
    const [reading, same] = await say('two', { mode: 'sandbox' });
    const [listing] = await say('three', { mode: 'allowlist' });
    const [full] = await say('four', { mode: 'full' });
    expect(same).toBe(session);
    expect(reading).not.toBe(asking);
    expect(listing).not.toBe(reading);
    expect(full).toBe(listing);
  });

  it('sees no secret that was written, or written again, after its start', async () => {
    const { run, cwd } = await open('scripted');
    const write = (name: string, text: string) => {
      // As editors save.
      writeFileSync(join(cwd, 'new'), text);
      renameSync(join(cwd, 'new'), join(cwd, name));
    };
    write('.env', 'PASSWORD=old\n');
    await run(['! true']);
    write('.env', `PASSWORD=${planted}\n`);
    const { done } = await run(['! cat .env']);
    write('.env.local', `PASSWORD=${planted}\n`);
    const { done: later } = await run(['! cat .env.local']);
    expect(JSON.stringify([done, later])).not.toContain(planted);
  });

  it('changes no settings of its repository after its person has changed them', async () => {
    const { run, cwd } = await open('scripted');
    git(cwd, 'init', '-q');
    await run(['! true']);
    git(cwd, 'config', 'color.ui', 'never');
    const { done } = await run(['! echo "[core]" >> .git/config']);
    expect(done[0]?.exitCode).not.toBe(0);
  });

  it('says after the message which repositories of it were disarmed', async () => {
    const { run, cwd } = await open('scripted');
    const { events } = await run([
      '! git init -q inner && printf "#!/bin/sh\\n" > inner/.git/hooks/pre-commit && chmod +x inner/.git/hooks/pre-commit',
    ]);
    expect(existsSync(join(cwd, 'inner/.git/hooks/pre-commit'))).toBe(false);
    expect(notesIn(events)).toEqual([expect.stringContaining('inner/.git/hooks was renamed')]);
  });

  it('leaves a worktree whole that its person adds meanwhile', async () => {
    const { run, cwd } = await open('scripted');
    git(cwd, 'init', '-q');
    git(cwd, 'commit', '-q', '--allow-empty', '-m', 'First');
    await run(['! true']);
    const tree = join(folder(), 'tree');
    git(cwd, 'worktree', 'add', '-q', tree);
    const { events } = await run(['! true'], { mode: 'sandbox' });
    expect(notesIn(events)).toEqual([]);
    expect(git(tree, 'status', '--short')).toBe('');
    expect(git(tree, 'log', '--format=%s')).toBe('First');
  });

  it('says that an opened path stays closed', async () => {
    await using other = await start({ 'agents.sandboxPaths': [{ path: '/nowhere' }] });
    const { run } = await open('scripted', { at: other });
    const { events } = await run(['! true']);
    expect(notesIn(events)).toEqual([expect.stringContaining('/nowhere of agents.sandboxPaths')]);
  });

  it('does not work in the home directory', async () => {
    const { id } = await open('scripted', { cwd: home });
    const { answer } = await send(daemon, id, '! true');
    expect(answer).toMatchObject({
      status: 'failed',
      error: { code: 'NO_SANDBOX', message: expect.stringContaining('holds your home directory') },
    });
  });

  it('leaves no process when it is stopped, and answers the next message', async () => {
    const { run, id, cwd } = await open('scripted');
    const sent = send(daemon, id, '! (setsid sleep 300 &) ; echo > started; sleep 300');
    await until(() => expect(existsSync(join(cwd, 'started'))).toBe(true));
    await daemon.client.conversations.stopTurn({ params: { id } });
    expect((await sent).answer.status).toBe('interrupted');
    await until(() => expect(processesOf(id)).toEqual([]));
    expect((await run(['! true'])).done).toMatchObject([{ exitCode: 0 }]);
  });

  it('leaves no process when the conversation is deleted or the daemon stops', async () => {
    await using other = await start();
    const left = '! (setsid sleep 300 >/dev/null 2>&1 &)';
    const deleted = await open('scripted', { at: other });
    const kept = await open('scripted', { at: other });
    for (const { run, id } of [deleted, kept]) {
      await run([left]);
      expect(processesOf(id)).not.toEqual([]);
    }
    await other.client.conversations.delete({ params: { id: deleted.id } });
    await until(() => expect(processesOf(deleted.id)).toEqual([]));
    await other.stop();
    expect(processesOf(kept.id)).toEqual([]);
  });
});

describe('a chat with an agent, without a sandbox', () => {
  it('works in the modes ask and full only, and says why', async () => {
    await using other = await start({ 'agents.sandbox': 'off' });
    const { run, id } = await open('scripted', { at: other });
    for (const securityMode of ['sandbox', 'allowlist'] as const)
      await expect(
        other.client.conversations.sendMessageWithTools({
          params: { id },
          body: { content: '! true', securityMode },
        }),
      ).rejects.toThrow('the setting agents.sandbox is off');
    const { done } = await run(['! cat ~/notes.txt']);
    expect(done[0]?.output).toBe(planted);
  });
});

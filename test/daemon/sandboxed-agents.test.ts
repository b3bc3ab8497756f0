import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreateTask } from '../../src/contract/task.ts';
import { hasSandbox } from '../core/tools/commands/command-setup.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { follow } from '../helpers/tasks.ts';

const script = new URL('../helpers/agents/scripted-acp-agent.ts', import.meta.url).pathname;
const planted = `planted-${crypto.randomUUID()}`;

interface Done {
  command: string;
  refused?: true;
  exitCode?: number;
  output?: string;
}

let daemon: TestDaemon;
let home: string;
const folders: string[] = [];
const folder = () => {
  const path = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'svc-boxed-')));
  folders.push(path);
  return path;
};
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: home },
  }).trim();

/** A repository with one commit of these files, and a worktree of it as svc makes them. */
function repository(files: Record<string, string> = { 'door.txt': 'red\n' }) {
  const main = folder();
  git(main, 'init', '-q', '-b', 'main');
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(join(main, path, '..'), { recursive: true });
    fs.writeFileSync(join(main, path), text);
  }
  git(main, 'add', '-A');
  git(main, 'commit', '-q', '-m', 'First');
  const worktree = join(folder(), 'tree');
  git(main, 'worktree', 'add', '-q', '-b', 'svc/task_1', worktree);
  return { main, worktree };
}

/** Runs a task of the scripted agent to its end; answers what came of each of its lines. */
async function run(lines: readonly string[], input: Partial<CreateTask> = {}) {
  const { task: created } = await daemon.client.tasks.create({
    body: {
      title: 'Script',
      prompt: lines.join('\n'),
      assignedAgent: 'scripted',
      securityMode: 'full',
      cwd: folder(),
      maxAttempts: 1,
      ...input,
    },
  });
  const { task, events } = await follow(daemon.client, created.id);
  const done = task.result?.output ? (JSON.parse(task.result.output) as Done[]) : [];
  return { task, done, events };
}

beforeAll(async () => {
  home = folder();
  fs.mkdirSync(join(home, '.ssh'));
  fs.writeFileSync(join(home, '.ssh', 'id_ed25519'), planted);
  fs.writeFileSync(join(home, 'notes.txt'), planted);
  fs.writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.com\n');
  const place = folder();
  fs.symlinkSync(dirname(script), join(place, 'linked'));
  const wrapper = join(place, 'wrapper');
  const named = join(place, 'linked', basename(script));
  fs.writeFileSync(wrapper, `#!/bin/sh\nexec ${process.execPath} ${named}\n`, { mode: 0o755 });
  daemon = await startDaemon({
    env: { HOME: home, SECRET_KEY: planted },
    flags: {
      'agents.added': {
        scripted: { program: process.execPath, args: [script], env: { AGENT_KEY: 'agent-key' } },
        wrapped: { program: wrapper, args: [], env: {} },
      },
    },
  });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  for (const path of folders) fs.rmSync(path, { recursive: true, force: true });
});

describe.skipIf(!hasSandbox.isWorking)(
  'an agent that is a program, in the sandbox (needs bubblewrap)',
  () => {
    it('works in its directory, with its own environment', async () => {
      const cwd = folder();
      const { task, done } = await run(['! echo blue > door.txt', '! echo $AGENT_KEY $HOME $SVC_TASK_ID'], {
        cwd,
      });
      expect(task.error).toBeUndefined();
      expect(done[1]?.output).toBe(`•••• ${home} ${task.id}\n`);
      expect(fs.readFileSync(join(cwd, 'door.txt'), 'utf8')).toBe('blue\n');
    });

    it('sees no file of the home directory, of the daemon or of the machine, and no other process', async () => {
      const { done } = await run([
        `! cat ~/.ssh/id_ed25519 ~/notes.txt`,
        `! ls -A ~`,
        `! cat ${daemon.home}/svc.db ${daemon.home}/owner-session; ls -A ${daemon.home}`,
        `! cat /etc/shadow`,
        `! grep -hs ${planted} /proc/*/environ; env | grep -c SECRET_KEY`,
        `! ls -d /proc/[0-9]* | wc -l`,
      ]);
      expect(JSON.stringify(done.map(({ output }) => output))).not.toContain(planted);
      expect(done[0]?.exitCode).not.toBe(0);
      expect(done[1]?.output).toBe('.cache\n');
      expect(done[2]?.output).not.toContain('svc.db\n');
      expect(done[3]?.exitCode).not.toBe(0);
      expect(Number(done[5]?.output)).toBeLessThan(12);
    });

    it('finds what its program names through a link', async () => {
      const { done } = await run(['! echo blue'], { assignedAgent: 'wrapped' });
      expect(done[0]?.output).toBe('blue\n');
    });

    it('cannot write outside of its directory', async () => {
      const outside = folder();
      const { done } = await run([
        `! echo x > ~/.bashrc`,
        `! echo x > ${outside}/file`,
        `! echo x > /usr/file`,
        `! echo x > ${daemon.home}/file`,
      ]);
      expect(done.map(({ exitCode }) => exitCode === 0)).toEqual([false, false, false, false]);
      expect(fs.readdirSync(outside)).toEqual([]);
      expect(fs.existsSync(join(home, '.bashrc'))).toBe(false);
    });

    it('reaches the network, but gets nothing from the daemon without credentials', async () => {
      const fetched = `${process.execPath} -e "fetch('${daemon.url}/api/tasks').then(async (a) => console.log(a.status, await a.text()))"`;
      const { done } = await run([`! ${fetched}`]);
      expect(done[0]?.output).toMatch(/^401 /);
    });

    it('commits in a worktree, but changes neither hooks nor settings nor other branches', async () => {
      const { main, worktree } = repository();
      const before = git(main, 'rev-parse', 'main');
      const own = join(main, '.git/worktrees/tree');
      const { done } = await run(
        [
          '! echo blue > door.txt && git add -A && git commit -q -m "Paint the door" && git log --format="%an <%ae> %s" -1',
          `! echo x > ${main}/.git/hooks/pre-commit`,
          `! echo x >> ${main}/.git/config`,
          `! git config core.hooksPath /tmp`,
          `! echo ../../.. > ${own}/commondir`,
          `! echo x > ${own}/config.worktree`,
          `! git update-ref refs/heads/main HEAD`,
          `! echo "gitdir: /tmp" > .git`,
          `! cat ${main}/door.txt`,
        ],
        { cwd: worktree, worktree: false },
      );
      expect(done[0]).toMatchObject({ exitCode: 0, output: 'Ada <ada@example.com> Paint the door\n' });
      expect(done.slice(1).map(({ exitCode }) => exitCode === 0)).toEqual(Array(8).fill(false));
      expect(git(main, 'log', '--format=%s', '-1', 'svc/task_1')).toBe('Paint the door');
      expect(git(main, 'rev-parse', 'main')).toBe(before);
      expect(fs.existsSync(join(main, '.git/hooks/pre-commit'))).toBe(false);
      expect(fs.readdirSync(own)).not.toContain('config.worktree');
      expect(fs.readdirSync(own)).not.toContain('hooks');
    });

    it('gets no repository to see that does not name the worktree as well', async () => {
      const { main } = repository();
      const cwd = folder();
      fs.mkdirSync(join(main, '.git/worktrees/fake'));
      fs.writeFileSync(join(cwd, '.git'), `gitdir: ${main}/.git/worktrees/fake\n`);
      const { done } = await run([`! cat ${main}/.git/config`], { cwd });
      expect(done[0]?.exitCode).not.toBe(0);
    });

    it('sees no secret of its directory', async () => {
      const cwd = folder();
      fs.writeFileSync(join(cwd, '.env'), `PASSWORD=${planted}\n`);
      const { done } = await run(['! cat .env', '! git -c core.pager=cat log'], { cwd });
      expect(JSON.stringify(done.map(({ output }) => output))).not.toContain(planted);
    });

    it('loses hooks of a repository that it created', async () => {
      const cwd = folder();
      const { events } = await run(
        [
          '! git init -q inner && printf "#!/bin/sh\\n" > inner/.git/hooks/pre-commit && chmod +x inner/.git/hooks/pre-commit',
        ],
        { cwd },
      );
      expect(fs.existsSync(join(cwd, 'inner/.git/hooks/pre-commit'))).toBe(false);
      expect(JSON.stringify(events)).toContain('was renamed, because git would run programs');
    });

    it('only reads in the mode sandbox: commands that read run, others are refused', async () => {
      const { worktree } = repository();
      const { done, task } = await run(
        [
          '$ cat door.txt',
          '$ git status --short && cat door.txt | wc -l',
          "$ /bin/bash -lc 'cat door.txt'",
          "$ /bin/bash -lc 'touch file'",
          '$ PAGER=evil git log',
          '$ touch file',
          '$ cat $(touch file)',
          '! echo x > file',
          '! git commit --allow-empty -m x',
        ],
        { cwd: worktree, securityMode: 'sandbox' },
      );
      expect(done.map(({ refused, exitCode }) => (refused ? 'refused' : exitCode === 0))).toEqual([
        true,
        true,
        true,
        ...Array(4).fill('refused'),
        false,
        false,
      ]);
      expect(task.status).toBe('completed');
      expect(fs.readdirSync(worktree).sort()).toEqual(['.git', 'door.txt']);
    });

    it('is not allowed to read its own login by a command', async () => {
      const { done } = await run([`$ cat ${home}/.codex/auth.json ${home}/notes.txt`], {
        securityMode: 'full',
      });
      expect(done[0]?.refused).toBe(true);
    });

    it('does what the policy allows in the mode allowlist', async () => {
      const { done } = await run(['$ touch file'], { securityMode: 'allowlist' });
      expect(done[0]?.refused).toBe(true);
    });

    it('does not work in the home directory', async () => {
      const { task } = await run(['! true'], { cwd: home });
      expect(task.error).toMatchObject({
        class: 'policy_denied',
        message: expect.stringContaining('holds your home directory'),
      });
    });

    it('leaves no process behind when its task is cancelled', async () => {
      const cwd = folder();
      const { task } = await daemon.client.tasks.create({
        body: {
          title: 'Sleep',
          prompt: '! (setsid sleep 300 &) ; echo started > started; sleep 300',
          assignedAgent: 'scripted',
          securityMode: 'full',
          cwd,
        },
      });
      await expect.poll(() => fs.existsSync(join(cwd, 'started')), { timeout: 20_000 }).toBe(true);
      await daemon.client.tasks.cancel({ params: { id: task.id } });
      await expect.poll(() => processesOf(task.id), { timeout: 10_000 }).toEqual([]);
    });

    it('sees the paths that an administrator opened, and only reads them unless they may be written', async () => {
      const opened = folder();
      const written = folder();
      fs.writeFileSync(join(opened, 'file'), 'opened');
      await daemon.client.config.update({
        params: { key: 'agents.sandboxPaths' },
        body: {
          value: [
            { path: opened },
            { path: written, write: true },
            { path: daemon.home },
            { path: '~/notes.txt' },
          ],
        },
      });
      const { done, events } = await run([
        `! cat ${opened}/file ~/notes.txt`,
        `! echo x > ${opened}/other`,
        `! echo x > ${written}/other`,
        `! cat ${daemon.home}/owner-session`,
      ]);
      await daemon.client.config.update({ params: { key: 'agents.sandboxPaths' }, body: { value: [] } });
      expect(done[0]).toMatchObject({ exitCode: 0, output: `opened${planted}` });
      expect(done.slice(1).map(({ exitCode }) => exitCode === 0)).toEqual([false, true, false]);
      expect(JSON.stringify(events)).toContain('It holds the data of the daemon');
    });
  },
);

describe.skipIf(!hasSandbox.isWorking)(
  'work in a repository that names commands to verify it (needs bubblewrap)',
  () => {
    const files = { 'door.txt': 'red\n', '.svc/verify': '# The door\n\ngrep blue door.txt\n' };

    it('is verified by them', async () => {
      const { worktree } = repository(files);
      const { task } = await run(['! echo blue > door.txt'], { cwd: worktree });
      expect(task).toMatchObject({
        status: 'completed',
        result: {
          verified: true,
          verification: {
            status: 'passed',
            environment: 'sandbox',
            commands: [{ command: 'grep blue door.txt', exitCode: 0 }],
          },
        },
      });
      expect(task.result?.verification?.changedFiles).toEqual(['door.txt']);
    });

    it('is verified by those of the commit that it began with, whatever the agent makes of them', async () => {
      const { worktree } = repository(files);
      const { task } = await run(['! echo true > .svc/verify && git add -A && git commit -q -m Cheat'], {
        cwd: worktree,
        repair: 0,
      });
      expect(task).toMatchObject({
        status: 'failed',
        error: { class: 'verify_failed' },
        result: {
          verified: false,
          verification: { commands: [{ command: 'grep blue door.txt' }], changedFiles: ['.svc/verify'] },
        },
      });
    });

    it('is verified by those of the first attempt, after a crash too', async () => {
      const { worktree } = repository(files);
      const cheat =
        '! [ -e crashed ] && exit; echo true > .svc/verify; touch crashed; git add -A; git commit -q -m Cheat; kill -9 $PPID';
      const { task } = await run([cheat], { cwd: worktree, repair: 0, maxAttempts: 2 });
      expect(task.attempts).toBe(2);
      expect(task.error?.class).toBe('verify_failed');
    });

    it('is verified by the commands of the task instead, if it names some', async () => {
      const { worktree } = repository(files);
      const { task } = await run(['! true'], { cwd: worktree, verify: ['grep red door.txt'] });
      expect(task.result?.verification?.commands).toHaveLength(1);
      expect(task.result?.verified).toBe(true);
    });

    it('names a command that failed and succeeded on the same files', async () => {
      const once = '[ -e seen ] || { touch seen; false; }';
      const { worktree } = repository({ '.svc/verify': `${once}\n` });
      const { task } = await run(['! true'], { cwd: worktree });
      expect(task.result?.verification).toMatchObject({
        status: 'passed',
        rounds: 1,
        commands: [{ command: once, flaky: true }],
      });
    });

    it('is not verified where there is no such file', async () => {
      const { worktree } = repository();
      const { task } = await run(['! mkdir .svc && echo true > .svc/verify'], { cwd: worktree });
      expect(task.status).toBe('completed');
      expect(task.result).not.toHaveProperty('verified');
    });
  },
);

describe('an agent that is a program, without a sandbox', () => {
  it('runs in the modes ask and full only, and says why', async () => {
    await daemon.client.config.update({ params: { key: 'agents.sandbox' }, body: { value: 'off' } });
    const { task } = await run(['! true'], { securityMode: 'sandbox' });
    const { done } = await run(['! cat ~/notes.txt']);
    await daemon.client.config.update({ params: { key: 'agents.sandbox' }, body: { value: 'on' } });
    expect(task.error).toMatchObject({
      class: 'policy_denied',
      message: expect.stringContaining('the setting agents.sandbox is off'),
    });
    expect(done[0]?.output).toBe(planted);
  });
});

/** The processes with the marker of a task. */
function processesOf(taskId: string): string[] {
  return fs.readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return fs.readFileSync(`/proc/${name}/environ`, 'latin1').includes(`/${taskId}/`);
    } catch {
      return false;
    }
  });
}

import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, outcomeOf, said, SvcHome } from './svc-binary.ts';

const command = ['run', '--agent', 'command'];
/** A command that would take longer than any test. */
const long = [...command, '--', 'sleep 600'];

beforeAll(ensureBuilt);

/** The id that a run says first. */
const idIn = (text: string) => /task_[0-9a-f-]{36}/.exec(text)?.[0] ?? '';

async function statusOf(home: SvcHome, id: string): Promise<string> {
  const { stdout } = await home.svc(['tasks', 'show', id, '--json']);
  return (JSON.parse(stdout) as { task: { status: string } }).task.status;
}

describe('svc run, interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('cancels the task at %s and exits %i', async (signal, code) => {
    await using home = await SvcHome.create();
    const running = home.start(long);
    const text = await said(running, 'stderr', /started by/);
    running.kill(signal);
    const { code: actual, stdout, stderr } = outcomeOf(await running);
    expect({ code: actual, stdout }).toEqual({ code, stdout: '' });
    expect(stderr).toMatch(/✗ cancelled after .* {2}See: svc tasks show task_/);
    expect(await statusOf(home, idIn(text))).toBe('cancelled');
  });

  it('counts a repeated signal within a moment as one', async () => {
    await using home = await SvcHome.create();
    const running = home.start(long);
    const text = await said(running, 'stderr', /started by/);
    running.kill('SIGINT');
    running.kill('SIGINT');
    expect(outcomeOf(await running).code).toBe(130);
    expect(await statusOf(home, idIn(text))).toBe('cancelled');
  });

  it('exits at the second signal, even when the daemon does not answer', async () => {
    await using home = await SvcHome.create();
    const running = home.start(long);
    await said(running, 'stderr', /started by/);
    const daemon = home.daemonPid;
    process.kill(daemon, 'SIGSTOP');
    try {
      const again = setInterval(() => running.kill('SIGINT'), 40);
      const { code, stderr } = outcomeOf(await running);
      clearInterval(again);
      expect(code).toBe(130);
      expect(stderr).toContain('cancelling; press Ctrl-C again to exit now');
    } finally {
      process.kill(daemon, 'SIGCONT');
    }
  });

  it('exits with 3 when another user cancels the task', async () => {
    await using home = await SvcHome.create();
    const running = home.start(long);
    const id = idIn(await said(running, 'stderr', /started by/));
    expect(await home.svc(['tasks', 'cancel', id])).toEqual({
      code: 0,
      stdout: `${id}\n`,
      stderr: `${id} cancelled\n`,
    });
    const { code, stderr } = outcomeOf(await running);
    expect(code).toBe(3);
    expect(stderr).toContain('✗ cancelled after');
  });

  it('follows its task after the daemon was killed and restarted', async () => {
    await using home = await SvcHome.create();
    const twice =
      'if [ -e "$HOME/ran" ]; then echo second; else touch "$HOME/ran"; echo begun >&2; sleep 600; fi';
    const running = home.start([...command, '--', twice]);
    await said(running, 'stderr', /begun/);
    process.kill(home.daemonPid, 'SIGKILL');
    await said(running, 'stderr', /the daemon is not responding/);
    await home.svc(['daemon', 'start']);
    expect(outcomeOf(await running)).toMatchObject({ code: 0, stdout: 'second\n' });
  });

  it('stops waiting with exit code 8 while the task continues', async () => {
    await using home = await SvcHome.create();
    const { stdout } = await home.svc([...command, '--detach', '--', 'sleep 600']);
    const id = stdout.trim();
    const waited = await home.svc(['tasks', 'wait', id, '--timeout', '100ms']);
    expect(waited).toMatchObject({ code: 8, stdout: '' });
    await home.svc(['tasks', 'cancel', id]);
    expect(await home.svc(['tasks', 'wait', id])).toMatchObject({ code: 3, stderr: `${id} cancelled\n` });
  });
});

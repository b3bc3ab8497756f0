import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { markedProcesses } from '../../../rigs/marked-processes.ts';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { follow } from '../../../helpers/tasks.ts';
import {
  outputOf,
  processesOf,
  runCommand,
  startCommand,
  waitForOutput,
  waitUntilGone,
} from '../run-command.ts';
import { sized } from '../../../helpers/long.ts';

const FLOOD = sized('100M', '1G');

/** Cancels a running command; answers how long it took until none of its processes was left. */
async function cancelAndMeasure(daemon: TestDaemon, id: string): Promise<number> {
  const started = performance.now();
  await daemon.client.tasks.cancel({ params: { id } });
  await waitUntilGone(id);
  return performance.now() - started;
}

/** Two seconds are promised; a busy machine gets far more, and what is not killed runs for a minute. */
const GONE_MS = 20_000;

describe.runIf(process.platform === 'linux')('a command that resists termination', () => {
  const stubborn: [string, string][] = [
    ['hangs', 'echo started; sleep 60'],
    ['ignores TERM', 'trap "" TERM INT HUP; echo started; sleep 60; sleep 60'],
    ['ignores TERM with its children', 'trap "" TERM; (sleep 60; sleep 60) & echo started; wait; sleep 60'],
    ['forks into the background', 'sleep 60 & sleep 60 & (sleep 60 & sleep 60 &) ; echo started; sleep 60'],
    [
      'leaves its session',
      'setsid sleep 60 & setsid sh -c "setsid sleep 60 & sleep 60" & echo started; wait',
    ],
    ['leaves its session and closes everything', 'setsid sleep 60 3<&- >/dev/null 2>&1 & echo started; wait'],
    ['spins', 'echo started; while :; do :; done'],
  ];
  it.each(stubborn)('cancels a command that %s', async (_, command) => {
    await using daemon = await startDaemon();
    const id = await startCommand(daemon, command);
    await waitForOutput(daemon, id, 'started');
    expect(processesOf(id).length).toBeGreaterThan(0);
    expect(await cancelAndMeasure(daemon, id)).toBeLessThan(GONE_MS);
    const { task, events } = await follow(daemon.client, id);
    expect(task.status).toBe('cancelled');
    expect(events.at(-1)?.type).toBe('cancelled');
  });

  it.each(stubborn)('times out a command that %s', async (_, command) => {
    await using daemon = await startDaemon({ flags: { 'pool.timeoutMs': 400 } });
    const { task } = await runCommand(daemon, command);
    expect(task).toMatchObject({ status: 'failed', error: { class: 'timeout', code: 'timeout' } });
    await waitUntilGone(task.id);
  });

  it('a cancelled command gets SIGTERM first and may clean up', async () => {
    await using daemon = await startDaemon();
    const command = `trap 'echo cleaned > ${daemon.home}/traces; exit 0' TERM; echo started; sleep 60 & wait`;
    const id = await startCommand(daemon, command);
    await waitForOutput(daemon, id, 'started');
    await cancelAndMeasure(daemon, id);
    const { task } = await runCommand(daemon, `cat ${daemon.home}/traces`);
    expect(task.result?.output).toBe('cleaned\n');
  });
});

describe.runIf(process.platform === 'linux')('processes that a command leaves behind', () => {
  it.each([
    ['in its group', 'sleep 60 & echo done'],
    ['in its group, holding its output', '(sleep 60; echo late) & echo done'],
    ['in a session of its own', 'setsid sleep 60 >/dev/null 2>&1 & echo done'],
    ['in a session of its own, holding its output', 'setsid sleep 60 & echo done'],
  ])('ends the processes that a command leaves behind: %s', async (_, command) => {
    await using daemon = await startDaemon();
    const { task } = await runCommand(daemon, command);
    expect(task).toMatchObject({ status: 'completed', result: { output: 'done\n' } });
    await waitUntilGone(task.id);
  });

  it('ends processes when the daemon stops, and the next daemon retries the task', async () => {
    const first = await startDaemon();
    const command =
      'case "$SVC_RUN" in */1) test -e seen && echo again && exit 0; touch seen; echo started; sleep 60;; esac';
    const id = await startCommand(first, command);
    await waitForOutput(first, id, 'started');
    await first.stop();
    await waitUntilGone(id);
    await using second = await startDaemon({ home: first.home });
    const { task, events } = await follow(second.client, id);
    expect(task).toMatchObject({ status: 'completed', attempts: 1, result: { output: 'again\n' } });
    expect(events.map(({ type }) => type)).toContain('requeued');
  });

  it('does not touch processes with the mark of another installation', async () => {
    await using daemon = await startDaemon();
    const other = spawn('sleep', ['60'], { env: { ...process.env, SVC_RUN: 'elsewhere/task_1/1' } });
    try {
      await vi.waitFor(
        () => expect(markedProcesses((mark) => mark.startsWith('elsewhere/'))).not.toEqual([]),
        20_000,
      );
      await runCommand(daemon, 'true');
      await using again = await startDaemon();
      await runCommand(again, 'true');
      expect(other.exitCode ?? other.signalCode).toBeNull();
    } finally {
      other.kill('SIGKILL');
      await once(other, 'close');
    }
  });
});

describe('a command that floods', () => {
  it(`${FLOOD} of output costs neither memory nor events`, { timeout: 180_000 }, async () => {
    await using daemon = await startDaemon({ flags: { 'agents.output.maxBytes': 2 * 1024 ** 3 } });
    const before = process.memoryUsage().rss;
    let highest = 0;
    const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 50);
    const { task, events } = await runCommand(daemon, `yes flood | head -c ${FLOOD}; echo; echo the end`);
    clearInterval(watch);
    expect(task.status).toBe('completed');
    expect(task.result?.output).toMatch(/^flood\nflood\n[^]*\n\[… \d+ bytes left out …\]\n[^]*\nthe end\n$/);
    expect(Buffer.byteLength(task.result?.output ?? '')).toBeLessThan(1024 * 1024 + 200);
    expect(outputOf(events).length).toBeLessThan(1024 * 1024);
    expect(events.length).toBeLessThan(200);
    expect(highest - before).toBeLessThan(300 * 1024 * 1024);
  });

  it('cancels a command in the middle of a flood of output', async () => {
    await using daemon = await startDaemon();
    const id = await startCommand(daemon, 'yes flood; sleep 60');
    await waitForOutput(daemon, id, 'flood');
    expect(await cancelAndMeasure(daemon, id)).toBeLessThan(GONE_MS);
  });

  it('runs a second command beside one that floods its output', { timeout: 180_000 }, async () => {
    await using daemon = await startDaemon();
    const id = await startCommand(daemon, 'yes flood >&2');
    await waitForOutput(daemon, id, 'flood');
    const { task } = await runCommand(daemon, 'echo quick');
    expect(task.result?.output).toBe('quick\n');
    await cancelAndMeasure(daemon, id);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WholeLog } from '../../../../src/cli/commands/tasks/whole-log.ts';
import type { TaskEvent } from '../../../../src/contract/task.ts';
import { runCommand, startCommand } from '../../../core/agents/run-command.ts';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { follow as followTask } from '../../../helpers/tasks.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Prints to a list; numbers of lines are what `seq` prints. */
function logOf(taskId: string, follow: boolean) {
  const printed: TaskEvent[] = [];
  const print = (event: TaskEvent) => void printed.push(event);
  const log = new WholeLog({ client: daemon.client, taskId, follow, print, drained: async () => undefined });
  const text = (stream: string) =>
    printed
      .filter(({ type, data }) => type === 'output' && data['stream'] === stream)
      .map(({ message }) => message)
      .join('');
  return { log, printed, text };
}
const lines = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join('');
const isCut = ({ data }: TaskEvent) => data['truncated'] === true;

describe('the whole log of a task', () => {
  it('has all of stdout and stderr where events store their start, and the end last', async () => {
    const { task, events } = await runCommand(daemon, 'seq 200000; seq 150000 >&2; echo end');
    expect(events.filter(isCut)).toHaveLength(2);
    const { log, printed, text } = logOf(task.id, false);
    for (const event of events) {
      log.add(event);
      await log.settled();
    }
    expect(text('stdout') === `${lines(200_000)}end\n`).toBe(true);
    expect(text('stderr') === lines(150_000)).toBe(true);
    expect(printed.filter(isCut)).toEqual([]);
    expect(printed.at(-1)?.type).toBe('completed');
  });

  it('is followed to the end of the command, with what comes after it behind it', async () => {
    const id = await startCommand(daemon, 'seq 100000; sleep 0.2; seq 100000');
    const { log, printed, text } = logOf(id, true);
    for await (const { data } of daemon.client.tasks.listEventsStream({ params: { id } })) log.add(data);
    await log.settled();
    expect(text('stdout') === lines(100_000).repeat(2)).toBe(true);
    expect(printed.at(-1)?.type).toBe('completed');
  });

  it('says where it ends of an attempt whose output is gone', async () => {
    const { task } = await daemon.client.tasks.create({
      body: {
        title: 'Twice',
        assignedAgent: 'command',
        prompt: 'seq 120000; if [ -e seen ]; then exit 0; fi; touch seen; exit 1',
        maxAttempts: 2,
      },
    });
    const { events } = await followTask(daemon.client, task.id);
    const { log, printed, text } = logOf(task.id, false);
    for (const event of events) {
      log.add(event);
      await log.settled();
    }
    expect(printed.filter(isCut)).toHaveLength(1);
    const [first, second] = text('stdout').split(/\[… the rest .*\]\n/);
    expect(lines(120_000).startsWith(first ?? 'none')).toBe(true);
    expect(second === lines(120_000)).toBe(true);
  });

  it('fails with what the daemon refuses', async () => {
    const { task, events } = await runCommand(daemon, 'seq 200000');
    await daemon.client.tasks.delete({ params: { id: task.id } });
    const { log } = logOf(task.id, false);
    for (const event of events) log.add(event);
    await expect(log.settled()).rejects.toMatchObject({ status: 404 });
  });
});

import { expect, vi } from 'vitest';
import type { Task, TaskEvent } from '../../../src/contract/task.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { follow } from '../../helpers/tasks.ts';
import { type MarkedProcess, markedProcesses } from '../../rigs/marked-processes.ts';

/** Runs a command as a task of its own with one attempt, and follows it to its end. */
export async function runCommand(
  daemon: TestDaemon,
  prompt: string,
  body: { cwd?: string } = {},
): Promise<{ task: Task; events: TaskEvent[] }> {
  return follow(daemon.client, await startCommand(daemon, prompt, body));
}

export async function startCommand(daemon: TestDaemon, prompt: string, body: { cwd?: string } = {}) {
  const { task } = await daemon.client.tasks.create({
    body: { title: 'A command', assignedAgent: 'command', prompt, maxAttempts: 1, ...body },
  });
  return task.id;
}

export const processesOf = (taskId: string): MarkedProcess[] =>
  markedProcesses((mark) => mark.split('/')[1] === taskId);

/** Waits until no process of the task is left: the kernel needs a moment to remove one that ended or was killed. */
export const waitUntilGone = (taskId: string): Promise<void> =>
  vi.waitFor(() => expect(processesOf(taskId)).toEqual([]), { timeout: 10_000, interval: 20 });

/** Waits until the command has said the words. */
export const waitForOutput = (daemon: TestDaemon, id: string, words: string) =>
  vi.waitFor(
    async () => {
      const { events } = await daemon.client.tasks.listEvents({ params: { id } });
      if (!events.some(({ type, message }) => type === 'output' && message.includes(words)))
        throw new Error('not yet');
    },
    { timeout: 10_000, interval: 20 },
  );

/** What the command said as it ran, one stream or both. */
export const outputOf = (events: TaskEvent[], stream?: 'stdout' | 'stderr'): string =>
  events
    .filter(({ type, data }) => type === 'output' && (stream === undefined || data['stream'] === stream))
    .map(({ message }) => message)
    .join('');

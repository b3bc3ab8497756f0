import { describe, expect, it } from 'vitest';
import type { TaskEventType, TaskStatus } from '../../../src/contract/task.ts';
import { EventBus } from '../../../src/core/events.ts';
import { RunProgress } from '../../../src/core/gateway/run-progress.ts';
import { untouched } from '../../../src/core/tasks/task-columns.ts';
import { newTask } from '../../helpers/storage.ts';

const began = Date.parse('2026-01-01T00:00:00.000Z');

function progressOfTask() {
  const bus = new EventBus();
  const progress = new RunProgress(bus);
  progress.listen();
  const taskIn = (status: TaskStatus) => ({
    ...untouched,
    ...newTask('task_1', { status, started_at: new Date(began).toISOString() }),
    seq: 1,
    event_seq: 1,
  });
  return {
    at: (ms: number, status: TaskStatus = 'in_progress', average = 1000) =>
      progress.of(taskIn(status), { now: new Date(began + ms), average }),
    emit: (
      type: TaskEventType,
      data: Record<string, number | string> = {},
      status: TaskStatus = 'in_progress',
    ) =>
      bus.emit('task', { task: taskIn(status), event: { seq: 1, id: 'e', type, at: '', message: '', data } }),
  };
}

describe('RunProgress', () => {
  it('the progress is 0 before the start, 1 at the end, and between them while a task runs', () => {
    const { at } = progressOfTask();
    for (const status of ['pending', 'queued'] as const) expect(at(5000, status)).toBe(0);
    for (const status of ['completed', 'failed', 'cancelled'] as const) expect(at(0, status)).toBe(1);
    expect(at(0)).toBe(0);
    expect(at(1000)).toBe(0.632);
    expect(at(1_000_000)).toBe(0.9);
  });

  it('the progress rises with time and never falls within a run, even with slower runs or a changed clock', () => {
    const { at } = progressOfTask();
    const seen = [0, 100, 400, 900, 800, 2000].map((ms) => at(ms));
    seen.push(at(2100, 'in_progress', 1_000_000), at(-5000));
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(seen[5]);
  });

  it('the progress is the share that the agent reports, unless it is invalid or falls', () => {
    const { at, emit } = progressOfTask();
    emit('progress', { progress: 0.25 });
    expect(at(60_000)).toBe(0.25);
    emit('progress', { progress: 0.1 });
    emit('progress', { progress: 1.5 });
    emit('progress', { progress: Number.NaN });
    emit('progress', { progress: '0.9' });
    emit('output', { progress: 0.9 });
    expect(at(60_000)).toBe(0.25);
    emit('progress', { progress: 0.6 });
    expect(at(60_000)).toBe(0.6);
    emit('progress', { progress: 1 });
    expect(at(60_000)).toBe(0.99);
  });

  it('the progress restarts with the next run', () => {
    const { at, emit } = progressOfTask();
    emit('progress', { progress: 0.8 });
    expect(at(10)).toBe(0.8);
    emit('retry_scheduled', {}, 'queued');
    expect(at(10, 'queued')).toBe(0);
    emit('started');
    expect(at(0)).toBe(0);
  });
});

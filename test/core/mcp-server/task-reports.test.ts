import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TaskEventType } from '../../../src/contract/task.ts';
import { type CoreEvents, EventBus } from '../../../src/core/events.ts';
import { TaskReports } from '../../../src/core/mcp-server/task-reports.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const event = (id: string, status: string, type: TaskEventType, message: string) =>
  ({ task: { id, status }, event: { type, message } }) as CoreEvents['task'];

describe('the reports on a task', () => {
  it('come at once, at each change, and as long as nothing changes', () => {
    const bus = new EventBus();
    const reports: string[] = [];
    const state = { id: 'task_1', status: 'queued' } as Parameters<TaskReports['follow']>[0];
    const stop = new TaskReports(bus).follow(state, (message) => reports.push(message));
    expect(reports.splice(0)).toEqual(['queued']);
    bus.emit('task', event('task_1', 'in_progress', 'started', 'Started\u200b by command'));
    bus.emit('task', event('task_1', 'in_progress', 'output', 'line'));
    bus.emit('task', event('task_2', 'failed', 'failed', 'Another one'));
    bus.emit('run_progress', { task: { id: 'task_1', owner_id: 'u' }, progress: { step: 3 } });
    expect(reports.splice(0)).toEqual([
      String.raw`in_progress: Started\u{200b} by command`,
      'in_progress: step 3',
    ]);
    vi.advanceTimersByTime(30_000);
    expect(reports.splice(0)).toEqual(['in_progress: step 3', 'in_progress: step 3']);
    stop();
    bus.emit('task', event('task_1', 'completed', 'completed', 'Completed'));
    vi.advanceTimersByTime(60_000);
    expect(reports).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import {
  emptyWatch,
  openApprovals,
  presentTask,
  reduceWatch,
  type WatchEvent,
} from '../../../../src/cli/tui/watch/watch-state.ts';
import { inOrder } from '../../../../src/cli/tui/watch/watched-task.ts';
import type { Approval } from '../../../../src/contract/approvals.ts';
import type { ListedTask, TaskEvent } from '../../../../src/contract/task.ts';
import { ToolWorld } from '../../../helpers/tool-world.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const { queue } = new ToolWorld();
const loaded = (tasks: ListedTask[], approvals: Approval[] = []): WatchEvent => ({
  kind: 'loaded',
  tasks,
  queue,
  approvals,
});
const told = (task: ListedTask, type: TaskEvent['type'], event: Partial<TaskEvent> = {}): WatchEvent => ({
  kind: 'live',
  message: {
    type: 'task',
    at: at(0),
    task,
    event: { seq: 1, id: 'evt_1', type, at: at(0), message: '', data: {}, ...event },
  },
});
const asked = (id: string, taskId?: string): Approval => ({
  ...new ToolWorld().ask(),
  id,
  ...(taskId !== undefined && { taskId }),
});
const reduce = (...events: WatchEvent[]) => reduceWatch(emptyWatch, events);

describe('the list of tasks', () => {
  it('lists running tasks first, then waiting ones, then recently finished ones', () => {
    const state = reduce(
      loaded([
        { id: 'ended early', status: 'failed', createdAt: at(1), completedAt: at(2) },
        { id: 'waits long', status: 'pending', createdAt: at(1) },
        { id: 'waits', status: 'queued', createdAt: at(3) },
        { id: 'ended late', status: 'completed', createdAt: at(0), completedAt: at(9) },
        { id: 'runs', status: 'in_progress', createdAt: at(9), startedAt: at(9) },
      ]),
    );
    expect(inOrder(state.tasks).map(({ task }) => task.id)).toEqual([
      'runs',
      'waits long',
      'waits',
      'ended late',
      'ended early',
    ]);
  });

  it('learns the start, agent, latest message and result of a task from events', () => {
    const task = { id: 'a', status: 'in_progress' as const };
    const last = (...events: WatchEvent[]) => reduce(...events).tasks.get('a');
    const started = told(task, 'started', {
      at: at(5),
      data: { agent: 'command', attempt: 1, maxAttempts: 3 },
    });
    expect(last(started)).toEqual({
      task: { ...task, startedAt: at(5), agentType: 'command' },
      said: 'started by command',
    });
    const pieces = ['I look', ' at it.\n', 'Then'].map((message) =>
      told(task, 'output', { message, data: { stream: 'text' } }),
    );
    expect(last(started, ...pieces.slice(0, 2))?.said).toBe('I look at it.');
    expect(last(told(task, 'output', { message: 'one\ntwo\u001b[2J\n' }))?.said).toBe(String.raw`two\x1b[2J`);
    const failed = told({ id: 'a', status: 'failed' }, 'failed', { at: at(8), message: 'No more' });
    expect(last(started, failed)).toMatchObject({ task: { completedAt: at(8) }, said: 'No more' });
  });

  it('does not prefer an older answer to newer events', () => {
    const task: ListedTask = { id: 'a', status: 'completed', updatedAt: at(9) };
    const old = loaded([{ id: 'a', status: 'queued', updatedAt: at(1), createdAt: at(0) }]);
    expect(reduce(told(task, 'completed'), old).tasks.get('a')?.task).toMatchObject({
      status: 'completed',
      createdAt: at(0),
    });
  });

  it('limits the task list, and keeps the selected task', () => {
    const many = Array.from({ length: 2000 }, (_, n): ListedTask => {
      const ended = n % 2 === 0;
      return {
        id: `task ${n}`,
        status: ended ? 'completed' : 'queued',
        createdAt: at(n),
        ...(ended && { completedAt: at(n) }),
      };
    });
    const state = reduce({ kind: 'selected', id: 'task 0' }, loaded(many));
    expect(state.tasks.size).toBeLessThan(600);
    expect(state.tasks.has('task 0')).toBe(true);
    expect(state.tasks.has('task 1')).toBe(true);
    expect(state.tasks.has('task 1998')).toBe(true);
    expect(state.tasks.has('task 2')).toBe(false);
  });

  it('selects the first task until another one is selected, then keeps that one', () => {
    const tasks = ['a', 'b', 'c'].map((id, n): ListedTask => ({
      id,
      status: 'in_progress',
      startedAt: at(n),
      updatedAt: at(0),
    }));
    const ended = told({ id: 'a', status: 'completed', updatedAt: at(9) }, 'completed', { at: at(9) });
    expect(presentTask(reduce(loaded(tasks), ended))).toBe('b');
    const chosen = reduce(loaded(tasks), { kind: 'moved', by: 1 }, { kind: 'moved', by: 1 });
    expect(presentTask(chosen)).toBe('c');
    expect(presentTask(reduceWatch(chosen, [ended]))).toBe('c');
    expect(presentTask(reduceWatch(chosen, [{ kind: 'moved', by: Number.NEGATIVE_INFINITY }, ended]))).toBe(
      'b',
    );
    expect(presentTask(reduceWatch(chosen, [{ kind: 'moved', by: 50 }]))).toBe('c');
  });
});

describe('approvals on the screen', () => {
  const ids = (...events: WatchEvent[]) => openApprovals(reduce(...events)).map(({ id }) => id);
  const both = loaded([], [asked('of a', 'a'), asked('other')]);
  const attached: WatchEvent = { kind: 'attached', id: 'a' };

  it('prompts unasked only for approvals of the open task', () => {
    expect(ids(both)).toEqual([]);
    expect(ids(both, attached)).toEqual(['of a']);
    expect(ids(both, { kind: 'approvalsOpened' })).toEqual(['of a', 'other']);
  });

  it('an approval can be postponed and reopened', () => {
    const later: WatchEvent = { kind: 'later', ids: ['of a'] };
    expect(ids(both, attached, later)).toEqual([]);
    expect(ids(both, attached, later, { kind: 'approvalsOpened' })).toEqual(['of a', 'other']);
    expect(ids(both, { kind: 'approvalsOpened' }, later)).toEqual([]);
    expect(ids(both, { kind: 'approvalsOpened' }, later, attached)).toEqual(['of a']);
  });

  it('an approval disappears once it is decided here or elsewhere', () => {
    const elsewhere: WatchEvent = {
      kind: 'live',
      message: { type: 'approval', at: at(0), approval: { ...asked('other'), status: 'denied' } },
    };
    const open: WatchEvent = { kind: 'approvalsOpened' };
    expect(ids(both, open, elsewhere, { kind: 'decided', id: 'of a' })).toEqual([]);
    const empty = reduce(both, open, elsewhere, { kind: 'decided', id: 'of a' });
    const next: WatchEvent = {
      kind: 'live',
      message: { type: 'approval', at: at(0), approval: asked('next') },
    };
    expect(openApprovals(reduceWatch(empty, [next]))).toEqual([]);
    expect(reduceWatch(empty, [next]).approvals.map(({ id }) => id)).toEqual(['next']);
  });
});

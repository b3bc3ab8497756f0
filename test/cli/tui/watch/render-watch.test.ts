import { describe, expect, it } from 'vitest';
import { type Line, lineText, lineWidth } from '../../../../src/cli/tui/parts/line.ts';
import { emptyRun } from '../../../../src/cli/tui/parts/run-state.ts';
import { renderHeader, renderKeys, renderTaskHead } from '../../../../src/cli/tui/watch/render-status.ts';
import { renderTask, renderTitles } from '../../../../src/cli/tui/watch/render-tasks.ts';
import { windowAround } from '../../../../src/cli/tui/watch/view-window.ts';
import { emptyWatch } from '../../../../src/cli/tui/watch/watch-state.ts';
import type { WatchedTask } from '../../../../src/cli/tui/watch/watched-task.ts';
import type { ListedTask, TaskEvent } from '../../../../src/contract/task.ts';
import { ToolWorld } from '../../../helpers/tool-world.ts';

const now = Date.UTC(2026, 0, 1, 12, 1, 5);
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const row = (task: Partial<ListedTask>, said = '', width = 80) =>
  renderTask(
    { task: { id: 'a', title: 'Fix it', agentType: 'command', createdAt: at(0), ...task }, said },
    { width, now, selectedId: 'a', askingIds: new Set(['asks']) },
  );

describe('a task in a row', () => {
  it.each<[Partial<ListedTask>, string, RegExp]>([
    [
      { status: 'queued' },
      'waiting for a worker',
      /^› ◌ Fix it +command +1 min 5 s {2}waiting for a worker$/,
    ],
    [{ status: 'in_progress', startedAt: at(58) }, 'line 3', /^› ● Fix it +command +7 s {2}line 3$/],
    [{ status: 'in_progress', startedAt: at(65) }, '', /^› ● Fix it +command +0 s *$/],
    [
      { status: 'completed', startedAt: at(1), completedAt: at(2) },
      'the last line',
      /^› ✓ Fix it +command +1 s {2}1 min ago$/,
    ],
    [
      { status: 'failed', startedAt: at(1), completedAt: at(2) },
      'It crashed',
      /^› ✗ Fix it +command +1 s {2}It crashed$/,
    ],
    [
      { id: 'asks', status: 'in_progress', startedAt: at(60) },
      '',
      /^ {2}\? Fix it +command +5 s {2}needs approval$/,
    ],
  ])('shows the task %o in a row', (task, said, expected) =>
    expect(lineText(row(task, said))).toMatch(expected),
  );

  it('counts down to the next attempt of a waiting task', () => {
    const retry: TaskEvent = {
      seq: 4,
      id: 'evt_1',
      type: 'retry_scheduled',
      at: at(0),
      message: 'Overloaded',
      data: { delayMs: 125_000, at: at(125), outageSince: at(0), waitsFor: 'outage' },
    };
    const task = { id: 'a', title: 'Fix it', status: 'queued', createdAt: at(0) } as const;
    const shownAt = (ms: number, watched: Partial<WatchedTask>) =>
      lineText(
        renderTask(
          { task, said: 'said before', ...watched },
          { width: 160, now: ms, selectedId: 'a', askingIds: new Set() },
        ),
      );
    expect(shownAt(now, { retry })).toMatch(/next try in 1 min 0 s: Overloaded$/);
    expect(shownAt(now + 55_500, { retry })).toMatch(/next try in 5 s: Overloaded$/);
    expect(shownAt(now + 61_000, { retry })).toMatch(/next try now: Overloaded/);
    // As loaded: no event is known yet.
    const error = { class: 'network', code: 'x', message: 'Overloaded' } as const;
    const loaded = { ...task, scheduledFor: at(125), error };
    expect(shownAt(now, { task: loaded })).toMatch(/next try in 1 min 0 s: Overloaded$/);
    expect(shownAt(now, { task: { ...loaded, status: 'in_progress' } })).toContain('said before');
    const attached = { id: 'a', run: emptyRun, retry };
    const head = renderTaskHead(attached, { width: 80, now, isAsking: false });
    expect(lineText(head[1] ?? [])).toMatch(/^next try at \d\d:02, in 1 min 0 s · a$/);
  });

  it.each([12, 30, 59, 60, 71, 72, 80, 140, 200, 400])('a task row fits into %i columns', (width) => {
    const task = { status: 'in_progress', title: `日本 ${'long '.repeat(50)}`, startedAt: at(0) } as const;
    const most = Math.max(width, 26);
    for (const line of [row(task, 'said '.repeat(90), width), renderTitles(width)])
      expect(lineWidth(line)).toBeLessThanOrEqual(most);
  });
});

describe('the frame around the tasks', () => {
  const { queue } = new ToolWorld();
  const state = {
    ...emptyWatch,
    isLoaded: true,
    queue: { ...queue, paused: true },
    approvals: [new ToolWorld().ask()],
  };
  const said = (line: Line) => lineText(line);

  it('shows task counts, and says when the daemon is unreachable', () => {
    expect(said(renderHeader(state, 120))).toBe(
      'svc tasks   ● 1 running   ◌ 2 queued   ○ 0 pending   ? 1 approval   ✗ 1 dead letter   paused',
    );
    expect(said(renderHeader({ ...state, isAway: true }, 120))).toMatch(/the daemon is not responding/);
  });

  it.each([20, 40, 80])('the frame fits into %i columns', (width) => {
    const task = { id: 'task_1', title: 'long '.repeat(50), agentType: 'command' };
    const attached = { id: 'task_1', task: { ...task, status: 'completed' } as never, run: emptyRun };
    const lines = [
      renderHeader(state, width),
      ...renderTaskHead(attached, { width, now, isAsking: false }),
      renderKeys(
        Array.from({ length: 9 }, (_, n) => [String(n), 'does something'] as const),
        width,
      ),
    ];
    for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
  });
});

describe('the visible part of a long list', () => {
  it.each([
    [0, 100, 10, 0, 0],
    [9, 100, 10, 0, 0],
    [10, 100, 10, 0, 1],
    [3, 100, 10, 20, 3],
    [99, 100, 10, 0, 90],
    [2, 3, 10, 5, 0],
    [-1, 0, 10, 0, 0],
  ])('row %i of %i in %i rows scrolled to %i shows rows from %i', (row, count, height, first, expected) =>
    expect(windowAround(row, count, height, first)).toBe(expected),
  );
});

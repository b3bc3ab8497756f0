import { expect, it } from 'vitest';
import { storedState } from '../../../../src/core/chat/runs/attempt.ts';
import { newRunState } from '../../../../src/core/chat/runs/run-state.ts';
import type { AgentRunRow } from '../../../../src/core/storage/rows/agent-runs.ts';

const row = (state: object | null): AgentRunRow => ({
  id: 'run_1',
  kind: 'task',
  status: 'running',
  owner_id: 'user_owner',
  conversation_id: null,
  task_id: 'task_1',
  options: '{}',
  state: state && JSON.stringify(state),
  partial: null,
  daemon: null,
  fence: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
});

it.each([true, false])('reads the taint of a run that an earlier version saved: %s', (heardStrangers) => {
  const state = newRunState([]);
  expect(storedState(row({ ...state, heardStrangers }))).toEqual({ ...state, isTainted: heardStrangers });
});

it('reads a saved state unchanged', () => {
  const state = { ...newRunState([]), isTainted: false };
  expect(storedState(row(state))).toEqual(state);
});

it.each([undefined, row(null)])('reads no state where none was saved', (stored) => {
  expect(storedState(stored)).toBeUndefined();
});

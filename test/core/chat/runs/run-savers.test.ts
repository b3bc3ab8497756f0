import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newRunState } from '../../../../src/core/chat/runs/run-state.ts';
import { runSavers } from '../../../../src/core/chat/runs/run-savers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function savers(save = async (_id: string, _change: object) => undefined as void) {
  const saved: object[] = [];
  const warn = vi.fn<() => void>();
  const runs = {
    save: async (id: string, change: object) => {
      saved.push(change);
      await save(id, change);
    },
  };
  return { saved, warn, ...runSavers({ runs, log: { warn } }, 'run_1') };
}

it('saves the whole text of a step within half a second of its first piece, also where no other follows', () => {
  const { saved, savePartial } = savers();
  savePartial('The');
  savePartial('The door');
  expect(saved).toEqual([]);
  vi.advanceTimersByTime(500);
  expect(saved).toEqual([{ partial: 'The door' }]);
  savePartial('The door is');
  vi.advanceTimersByTime(500);
  expect(saved.at(-1)).toEqual({ partial: 'The door is' });
});

it('saves no text of a step whose state is saved', async () => {
  const { saved, save, savePartial } = savers();
  savePartial('The door');
  const state = newRunState([]);
  await save(state);
  vi.advanceTimersByTime(1000);
  expect(saved).toEqual([{ state: JSON.stringify(state), partial: null }]);
});

it('saves nothing after it was stopped', () => {
  const { saved, stop, savePartial } = savers();
  savePartial('The door');
  stop();
  vi.advanceTimersByTime(1000);
  expect(saved).toEqual([]);
});

it('logs a text that could not be saved, and saves the next', async () => {
  const { saved, warn, savePartial } = savers(() => Promise.reject(new Error('the disk is full')));
  savePartial('The');
  await vi.advanceTimersByTimeAsync(500);
  expect(warn).toHaveBeenCalledTimes(1);
  savePartial('The door');
  await vi.advanceTimersByTimeAsync(500);
  expect(saved.at(-1)).toEqual({ partial: 'The door' });
});

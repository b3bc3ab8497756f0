import type { Key } from 'ink';
import { hasEnded } from '../../../contract/has-ended.ts';
import { openApprovals, presentTask, type WatchState } from './watch-state.ts';

/** What a key asks for. */
export type WatchAction =
  | { kind: 'quit' | 'interrupt' | 'attach' | 'detach' | 'askCancel' | 'cancel' | 'keep' | 'retry' }
  | { kind: 'openApprovals' | 'closeApprovals' | 'nextApproval' }
  | { kind: 'move'; by: number };

type Hint = readonly [key: string, meaning: string];

/** What a key means at the moment; undefined where it means nothing, or is for what is shown. */
export function watchAction(
  state: WatchState,
  input: string,
  key: Key,
  page: number,
): WatchAction | undefined {
  if (key.ctrl && input === 'c') return { kind: 'interrupt' };
  if (key.ctrl || key.meta) return undefined;
  if (state.cancelling !== undefined) return { kind: input === 'y' || input === 'Y' ? 'cancel' : 'keep' };
  if (input === 'q') return { kind: 'quit' };
  if (openApprovals(state).length > 0) {
    if (key.escape) return { kind: 'closeApprovals' };
    return key.tab ? { kind: 'nextApproval' } : undefined;
  }
  if (input === 'c') return { kind: 'askCancel' };
  if (input === 'r') return { kind: 'retry' };
  if (input === 'a') return { kind: 'openApprovals' };
  if (state.attached) return key.escape || key.leftArrow ? { kind: 'detach' } : undefined;
  if (key.return || key.rightArrow) return { kind: 'attach' };
  const by = stepOf(input, key, page);
  return by === undefined ? undefined : { kind: 'move', by };
}

/** Splits input that arrived at once into keys; here every letter is a key. */
export const eachKey = (input: string, press: (letter: string) => void): void =>
  (input === '' ? [''] : Array.from(input)).forEach(press);

/** How many rows a key goes up or down. */
export function stepOf(input: string, key: Key, page: number): number | undefined {
  if (key.upArrow || input === 'k') return -1;
  if (key.downArrow || input === 'j') return 1;
  if (key.pageUp) return -page;
  if (key.pageDown) return page;
  if (key.home || input === 'g') return Number.NEGATIVE_INFINITY;
  if (key.end || input === 'G') return Number.POSITIVE_INFINITY;
  return undefined;
}

/** The keys that mean something now, the most useful first. */
export function keyHints(state: WatchState): Hint[] {
  const { attached, approvals, tasks } = state;
  const open = openApprovals(state);
  if (open.length > 0)
    return [['Esc', 'later'], ...(open.length > 1 ? [['Tab', 'next'] as const] : []), ['q', 'quit']];
  const status = attached?.task?.status ?? tasks.get(presentTask(state) ?? '')?.task.status;
  const change: Hint[] =
    status === undefined ? [] : [hasEnded({ status }) ? ['r', 'retry'] : ['c', 'cancel']];
  const asked: Hint[] = approvals.length === 0 ? [] : [['a', 'approvals']];
  if (attached)
    return [
      ['Esc', 'back'],
      ...change,
      ...asked,
      ['q', 'quit'],
      ['PgUp PgDn', 'scroll'],
      ['o', 'results'],
      ['t', 'thinking'],
    ];
  return [['↑↓', 'select'], ['Enter', 'open'], ...change, ...asked, ['q', 'quit']];
}

import type { Approval } from '../../../contract/approvals.ts';
import { keyOf, settleText } from './entry-list.ts';
import type { NoteEntry, RunEntry } from './run-entry.ts';

/** What is known of a run, or of the runs of a conversation, from their events; times are in epoch milliseconds. */
export interface RunState {
  entries: readonly RunEntry[];
  /** What waits for a decision, in the order in which it came. */
  approvals: readonly Approval[];
  phase: 'idle' | 'waiting' | 'thinking' | 'writing' | 'tool' | 'deciding' | 'done' | 'failed';
  taskId?: string;
  model?: string;
  provider?: string;
  step?: number;
  maxSteps?: number;
  usedTokens?: number;
  maxBudget?: number;
  startedAt?: number;
  endedAt?: number;
  error?: { message: string; code: string };
}

export const emptyRun: RunState = { entries: [], approvals: [], phase: 'idle' };

/** A run that ended without saying so, because it was stopped or the connection broke. */
export const endRun = (state: RunState, at: number): RunState =>
  isRunning(state) ? finishRun(state, 'failed', at) : state;

/** Whether a run is going on. */
export const isRunning = ({ startedAt, endedAt }: RunState): boolean =>
  startedAt !== undefined && endedAt === undefined;

/** Adds a line that is no event of the run. */
export const withNote = (state: RunState, text: string, tone: NoteEntry['tone'] = 'muted'): RunState => {
  const entries = settleText(state.entries);
  return { ...state, entries: [...entries, { kind: 'note', key: keyOf(entries), tone, text }] };
};

/** A new run begins: what was known of the one before is forgotten, but not what it wrote. */
export function beginRun({ entries, approvals }: RunState, startedAt: number): RunState {
  return { entries, approvals, phase: 'waiting', startedAt };
}

/** A run ends, and with it all that it had begun. */
export function finishRun(state: RunState, phase: 'done' | 'failed', endedAt: number): RunState {
  const entries = settleText(state.entries).map((entry): RunEntry => {
    if (entry.kind === 'tool' && (entry.state === 'running' || entry.state === 'asking'))
      return { ...entry, state: 'stopped', endedAt };
    return entry.kind === 'thinking' && entry.endedAt === undefined ? { ...entry, endedAt } : entry;
  });
  return { ...state, entries, approvals: [], phase, endedAt };
}

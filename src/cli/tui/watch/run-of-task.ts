import { runEventOf } from '../../../contract/task-run-events.ts';
import type { Task, TaskEvent } from '../../../contract/task.ts';
import { describeEvent } from '../../output/describe-event.ts';
import { settleText, withOutput, withPerson } from '../parts/entry-list.ts';
import { reduceRun } from '../parts/reduce-run.ts';
import type { NoteEntry } from '../parts/run-entry.ts';
import { beginRun, emptyRun, finishRun, isRunning, type RunState, withNote } from '../parts/run-state.ts';

/** A run of which nothing is known but what it was asked to do. */
export const askedRun = ({ prompt, description, title }: Pick<Task, 'prompt' | 'description' | 'title'>) => ({
  ...emptyRun,
  entries: withPerson([], prompt ?? description ?? title),
});

/** The run after one more event of its task: what its model did is in the event, whole. */
export function tellRun(run: RunState, event: TaskEvent): RunState {
  const { type, message, data } = event;
  const at = Date.parse(event.at);
  const note = (state: RunState, tone: NoteEntry['tone'] = 'muted') => {
    const text = describeEvent(event) ?? message;
    return text === '' ? state : withNote(state, text, tone);
  };
  const carried = runEventOf(event);
  if (carried) {
    const next = reduceRun(run, [carried]);
    return carried.type === 'approval:decided' ? note(next) : next;
  }
  switch (type) {
    case 'created':
    case 'queued':
      return run;
    case 'started':
      return note(beginRun(run, at));
    case 'progress':
      return describeEvent(event) === undefined ? run : note(run);
    case 'output':
      return {
        ...run,
        phase: 'writing',
        entries: withOutput(run.entries, data['stream'] === 'stderr' ? 'stderr' : 'stdout', message),
      };
    case 'approval_requested':
    case 'approval_decided':
    case 'verification_started':
      return note(run);
    case 'verification_finished':
      return note(run, data['status'] === 'passed' ? 'muted' : 'warning');
    case 'completed':
      return { ...settle(run, 'done', at), phase: 'done' };
    case 'failed':
      return withNote(settle(run, 'failed', at), `failed: ${message}`, 'bad');
    case 'cancelled':
      return withNote(settle(run, 'failed', at), message, 'warning');
    case 'retry_scheduled':
    case 'deferred':
      return note(settle(run, 'failed', at), 'warning');
    case 'waiting_for_agent':
    case 'dead_lettered':
    case 'requeued':
      return note(run, 'warning');
  }
}

/** The end, with the answer of an agent that did not say it while it ran. */
export function concludeRun(run: RunState, { result }: Task): RunState {
  const output = result?.output ?? '';
  const isSaid = run.entries.some(({ kind }) => kind === 'text' || kind === 'output');
  if (isSaid || output.trim() === '') return run;
  return {
    ...run,
    entries: [
      ...run.entries,
      { kind: 'text', key: String(run.entries.length), text: output, isComplete: true },
    ],
  };
}

const settle = (run: RunState, phase: 'done' | 'failed', at: number): RunState =>
  isRunning(run) ? finishRun(run, phase, at) : { ...run, phase, entries: settleText(run.entries) };

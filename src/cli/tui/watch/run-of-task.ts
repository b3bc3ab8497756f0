import { type RunEvent, runEventSchema } from '../../../contract/run-events.ts';
import type { Task, TaskEvent } from '../../../contract/task.ts';
import { askedCall } from '../../commands/approvals/asked-call.ts';
import { describeEvent } from '../../output/describe-event.ts';
import { changeTool, settleText, withOutput, withPerson } from '../parts/entry-list.ts';
import { reduceRun } from '../parts/reduce-run.ts';
import type { NoteEntry, ToolEntry } from '../parts/run-entry.ts';
import { beginRun, emptyRun, finishRun, isRunning, type RunState, withNote } from '../parts/run-state.ts';

/** A run of which nothing is known but what it was asked to do. */
export const askedRun = ({ prompt, description, title }: Pick<Task, 'prompt' | 'description' | 'title'>) => ({
  ...emptyRun,
  entries: withPerson([], prompt ?? description ?? title),
});

/** The run after one more event of its task, without approvals, which the live feed delivers in full. */
export function tellRun(run: RunState, event: TaskEvent): RunState {
  const { type, message, data } = event;
  const at = Date.parse(event.at);
  const note = (state: RunState, tone: NoteEntry['tone'] = 'muted') => {
    const text = describeEvent(event) ?? message;
    return text === '' ? state : withNote(state, text, tone);
  };
  switch (type) {
    case 'created':
    case 'queued':
      return run;
    case 'started':
      return note(beginRun(run, at));
    case 'progress': {
      const known = runEventOf(event, at);
      if (known) return reduceRun(run, [known]);
      return describeEvent(event) === undefined ? run : note(run);
    }
    case 'output':
      if (data['stream'] === 'text')
        return reduceRun(run, [
          { type: 'text:delta', data: { step: run.step ?? 0, delta: message }, timestamp: at },
        ]);
      return {
        ...run,
        phase: 'writing',
        entries: withOutput(run.entries, data['stream'] === 'stderr' ? 'stderr' : 'stdout', message),
      };
    case 'approval_requested':
      return { ...moveTool(run, 'running', 'asking', askedCall(event)?.toolName), phase: 'deciding' };
    case 'approval_decided':
      return note({ ...moveTool(run, 'asking', 'running'), phase: 'waiting' });
    case 'completed':
      return { ...settle(run, 'done', at), phase: 'done' };
    case 'failed':
      return withNote(settle(run, 'failed', at), `failed: ${message}`, 'bad');
    case 'cancelled':
      return withNote(settle(run, 'failed', at), message, 'warning');
    case 'retry_scheduled':
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

/** An agent may be newer than this program: what is not understood is left to its message. */
function runEventOf({ data: { type, ...data } }: TaskEvent, timestamp: number): RunEvent | undefined {
  return runEventSchema.safeParse({ type, data, timestamp }).data;
}

const settle = (run: RunState, phase: 'done' | 'failed', at: number): RunState =>
  isRunning(run) ? finishRun(run, phase, at) : { ...run, phase, entries: settleText(run.entries) };

/** The event of a task does not say which call it means: it is the last one of that tool. */
function moveTool(run: RunState, from: ToolEntry['state'], to: ToolEntry['state'], name?: string): RunState {
  const tool = run.entries.findLast(
    (entry) => entry.kind === 'tool' && entry.state === from && (name === undefined || entry.name === name),
  );
  if (tool?.kind !== 'tool') return run;
  return { ...run, entries: changeTool(run.entries, tool.callId, (each) => ({ ...each, state: to })) };
}

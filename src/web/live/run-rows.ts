import type { TaskEvent } from '../../contract/task.ts';
import { fieldsOf, listOf, numberOf, textOf } from './event-fields.ts';
import type { TaskTimeline } from './task-timeline.ts';
import type { CallDiff, CallRow } from './timeline-rows.ts';

/** Adds what an agent did to a timeline: only what a person wants to know of it. */
export function addRunEvent(timeline: TaskTimeline, event: TaskEvent): void {
  const { seq: key, at, message, data } = event;
  const kind = textOf(data['type']) ?? '';
  if (event.type === 'output') {
    if (kind === 'text:delta' || data['stream'] === 'text') addText(timeline, event);
    return;
  }
  switch (kind) {
    case 'thinking:start':
    case 'thinking:update':
    case 'thinking:end':
      return addThought(timeline, event);
    case 'tool:call':
      return timeline.push({
        kind: 'call',
        key,
        at,
        startedAt: at,
        callId: textOf(data['toolCallId']) ?? '',
        name: textOf(data['name']) ?? message,
        arguments: data['arguments'],
        state: 'running',
      });
    case 'tool:result':
      return addResult(timeline, event);
    case 'plan': {
      const entries = listOf(data['entries']).map((each) => {
        const { text, status } = fieldsOf(each);
        return { text: textOf(text) ?? '', status: textOf(status) ?? '' };
      });
      // A plan that changed right away is one plan.
      if (timeline.last?.kind === 'plan')
        return timeline.replace(timeline.last, { ...timeline.last, entries });
      return timeline.push({ kind: 'plan', key, at, entries });
    }
    case 'error':
      return timeline.push({ kind: 'note', key, at, tone: 'danger', text: message });
    case 'user_message':
    case 'step:start':
    case 'step:complete':
    case 'usage':
    case 'summary':
    case 'complete':
    case 'message_saved':
      return;
    default: {
      const waitsFor = textOf(data['waitsFor']);
      if (message !== '')
        timeline.push({ kind: 'note', key, at, tone: 'plain', text: message, ...(waitsFor && { waitsFor }) });
    }
  }
}

function addText(timeline: TaskTimeline, { seq: key, at, message, data }: TaskEvent): void {
  const { last } = timeline;
  const step = data['step'];
  if (last?.kind === 'said' && last.step === step)
    return timeline.replace(last, { ...last, text: last.text + message });
  if (message.trim() !== '') timeline.push({ kind: 'said', key, at, step, text: message });
}

function addThought(timeline: TaskTimeline, { seq: key, at, data }: TaskEvent): void {
  const step = data['step'];
  const text = textOf(data['text']) ?? '';
  const open = timeline.find('thought', (row) => row.step === step && !row.endedAt);
  const isEnd = data['type'] === 'thinking:end';
  const endedAt = isEnd && { endedAt: at };
  if (!open) return timeline.push({ kind: 'thought', key, at, step, text, ...endedAt });
  // The end has the whole text.
  timeline.replace(open, { ...open, text: isEnd && text !== '' ? text : open.text + text, ...endedAt });
}

function addResult(timeline: TaskTimeline, { seq: key, at, data }: TaskEvent): void {
  const callId = textOf(data['toolCallId']) ?? '';
  const { success, content, refused } = fieldsOf(data['result']);
  const state = success === true ? 'ok' : refused === true ? 'refused' : 'failed';
  const diff = listOf(data['diff']).map((each) => fieldsOf(each) as unknown as CallDiff);
  const ended: Pick<CallRow, 'state' | 'endedAt' | 'result' | 'diff'> = {
    state,
    endedAt: at,
    result: textOf(content) ?? '',
    ...(diff.length > 0 && { diff }),
  };
  const call = timeline.find('call', (row) => row.callId === callId);
  if (call) return timeline.replace(call, { ...call, ...ended });
  timeline.push({
    kind: 'call',
    key,
    at,
    startedAt: at,
    callId,
    name: 'tool',
    arguments: undefined,
    ...ended,
  });
}

/** Tokens that a run has used so far; undefined as long as it reports none. */
export function tokensOf({ data }: TaskEvent): number | undefined {
  if (data['type'] === 'step:complete' || data['type'] === 'step:start') return numberOf(data['usedTokens']);
  if (data['type'] === 'complete') return numberOf(data['totalTokens']);
  if (data['type'] !== 'usage') return undefined;
  return (numberOf(data['input']) ?? 0) + (numberOf(data['output']) ?? 0);
}

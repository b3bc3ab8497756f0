import type { Approval } from '../../contract/approvals.ts';
import type { TaskEvent } from '../../contract/task.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './event-fields.ts';
import { addRunEvent } from './run-rows.ts';
import type { TaskTimeline } from './task-timeline.ts';
import type { CheckRow } from './timeline-rows.ts';

/** Adds what happened to a task to its timeline. */
export function addTaskEvent(timeline: TaskTimeline, event: TaskEvent): void {
  const { seq: key, type, at, message, data } = event;
  const note = (text: string, tone: 'plain' | 'success' | 'danger' = 'plain') =>
    timeline.push({ kind: 'note', key, at, tone, text: text === '' ? type.replaceAll('_', ' ') : text });
  switch (type) {
    case 'started':
      return start(timeline, event);
    case 'progress':
    case 'output':
      return addRunEvent(timeline, event);
    case 'approval_requested':
    case 'approval_decided':
      return addApproval(timeline, event);
    case 'verification_started':
      return timeline.push({
        kind: 'check',
        key,
        at,
        text: message,
        round: numberOf(data['round']) ?? 1,
        commands: listOf(data['commands']).map((command) => ({ command: textOf(command) ?? '' })),
      });
    case 'verification_finished':
      return finishCheck(timeline, event);
    case 'waiting_for_agent':
      timeline.end(at, 'waiting');
      return timeline.push({
        kind: 'wait',
        key,
        at,
        reason: data['waitsFor'] === 'daemon' ? 'daemon' : 'agent',
        text: message,
      });
    case 'retry_scheduled':
    case 'deferred':
      timeline.end(at, 'failed');
      return timeline.push({
        kind: 'wait',
        key,
        at,
        reason:
          type === 'deferred' || data['waitsFor'] === 'limit'
            ? 'limit'
            : data['outageSince'] === undefined
              ? 'retry'
              : 'outage',
        text: message,
        dueAt: textOf(data['at']) ?? at,
      });
    case 'completed':
      timeline.end(at, 'completed');
      return note(message, 'success');
    case 'failed':
      timeline.end(at, 'failed');
      return note(`Failed: ${message}`, 'danger');
    case 'cancelled':
      timeline.end(at, 'cancelled');
      return note(message);
    case 'requeued':
      timeline.end(at, 'interrupted');
      return note(message);
    case 'created':
    case 'queued':
    case 'dead_lettered':
      return note(message);
    default:
      // A newer daemon may send more.
      return note(message);
  }
}

function start(timeline: TaskTimeline, { seq, at, data }: TaskEvent): void {
  timeline.end(at, 'interrupted');
  const number = numberOf(data['attempt']) ?? 1;
  const agent = textOf(data['agent']);
  timeline.begin({ key: seq, at, number, ...(agent && { agent }) });
}

function addApproval(timeline: TaskTimeline, { seq: key, type, at, data }: TaskEvent): void {
  const approval = approvalOf(data);
  const callId = textOf(data['toolCallId']);
  const call = callId ? timeline.find('call', (row) => row.callId === callId) : undefined;
  const isAsked = type === 'approval_requested';
  if (call && (call.state === 'running' || call.state === 'asking'))
    timeline.replace(call, { ...call, state: isAsked ? 'asking' : 'running', startedAt: at });
  const asked = timeline.find('approval', (row) => row.approval.id === approval.id);
  if (!asked)
    return timeline.push({ kind: 'approval', key, at, approval, ...(!isAsked && { decidedAt: at }) });
  timeline.replace(asked, {
    ...asked,
    approval: { ...asked.approval, ...approval },
    ...(!isAsked && { decidedAt: at }),
  });
}

function finishCheck(timeline: TaskTimeline, { seq: key, at, message, data }: TaskEvent): void {
  const round = numberOf(data['round']) ?? 1;
  const open = timeline.find('check', (row) => row.round === round && !row.endedAt);
  const ended: Pick<CheckRow, 'text' | 'commands' | 'status' | 'endedAt'> = {
    text: message,
    endedAt: at,
    status: data['status'] === 'passed' ? 'passed' : 'failed',
    commands: listOf(data['commands']).map((each) => {
      const { command, exitCode, durationMs } = fieldsOf(each);
      return {
        command: textOf(command) ?? '',
        exitCode: numberOf(exitCode) ?? null,
        durationMs: numberOf(durationMs) ?? 0,
      };
    }),
  };
  if (open) timeline.replace(open, { ...open, ...ended });
  else timeline.push({ kind: 'check', key, at, round, ...ended });
}

/** The approval of an event; earlier versions stored its fields without one. */
function approvalOf(data: Fields): Partial<Approval> & { id: string } {
  const nested = fieldsOf(data['approval']);
  const found = textOf(nested['id']) === undefined ? { ...data, id: data['approvalId'] ?? '' } : nested;
  return found as unknown as Partial<Approval> & { id: string };
}

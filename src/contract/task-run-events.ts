import { type RunEvent, runEventSchema, type RunEventType } from './run-events.ts';
import { safeParse } from './safe-parse.ts';
import type { TaskEvent, TaskEventType } from './task.ts';

/** The task events that are not `progress` when they carry a run event. */
export const carriedBy: Partial<Record<RunEventType, TaskEventType>> = {
  'text:delta': 'output',
  'approval:requested': 'approval_requested',
  'approval:decided': 'approval_decided',
};

/**
 * The run event that an event of a task carries: `data` holds its `type` beside its payload. Undefined where it carries
 * none, or one of a newer version: then `message` is all that is known.
 */
export function runEventOf(event: TaskEvent): RunEvent | undefined {
  const timestamp = Date.parse(event.at);
  const { type, ...data } = event.data;
  const found =
    safeParse(runEventSchema, { type, data, timestamp }).data ??
    safeParse(runEventSchema, { ...fromEarlierVersion(event), timestamp }).data;
  // What another agent reports as its progress is never a request for an approval.
  return found && (carriedBy[found.type] ?? 'progress') === event.type ? found : undefined;
}

/** Earlier versions stored text without its type, and of an approval the fields that a person decides on. */
function fromEarlierVersion({ type, message, at, data }: TaskEvent): { type?: RunEventType; data?: object } {
  if (type === 'output' && data['stream'] === 'text')
    return { type: 'text:delta', data: { step: data['step'] ?? 0, delta: message } };
  if (type !== 'approval_requested' && type !== 'approval_decided') return {};
  const { approvalId, toolCallId, status, ...known } = data;
  const isRequest = type === 'approval_requested';
  const approval = {
    toolName: '',
    params: {},
    cwd: '',
    reason: '',
    securityLevel: 'high',
    requestedAt: at,
    expiresAt: at,
    ...known,
    id: approvalId,
    status: status ?? 'pending',
  };
  return {
    type: isRequest ? 'approval:requested' : 'approval:decided',
    data: { toolCallId: toolCallId ?? '', approval },
  };
}

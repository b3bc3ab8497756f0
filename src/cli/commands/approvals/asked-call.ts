import { runEventOf } from '../../../contract/task-run-events.ts';
import type { TaskEvent } from '../../../contract/task.ts';
import type { AskedCall } from './format-call.ts';

/** The call that an `approval_requested` event is about; undefined for every other event. */
export function askedCall(event: TaskEvent): AskedCall | undefined {
  const carried = event.type === 'approval_requested' ? runEventOf(event) : undefined;
  return carried?.type === 'approval:requested' ? carried.data.approval : undefined;
}

/** The ID of the approval that an `approval_decided` event is about; undefined for every other event. */
export function decidedApproval(event: TaskEvent): string | undefined {
  const carried = event.type === 'approval_decided' ? runEventOf(event) : undefined;
  return carried?.type === 'approval:decided' ? carried.data.approval.id : undefined;
}

import type { TraceSpan } from '../../../contract/task-trace.ts';
import type { TaskEventType } from '../../../contract/task.ts';

/** The events with which a task begins to wait: what the wait is called, and how the attempt before it ended. */
export const waits: Partial<Record<TaskEventType, { name: string; status: TraceSpan['status'] }>> = {
  queued: { name: 'queue', status: 'interrupted' },
  requeued: { name: 'queue', status: 'interrupted' },
  waiting_for_agent: { name: 'wait for agent', status: 'interrupted' },
  retry_scheduled: { name: 'retry delay', status: 'error' },
  deferred: { name: 'wait for limit', status: 'error' },
};

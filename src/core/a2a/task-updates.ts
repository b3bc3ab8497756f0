import type { A2aArtifact, A2aState, A2aUpdate } from '../../contract/a2a-messages.ts';
import { runEventOf } from '../../contract/task-run-events.ts';
import type { TaskEvent, TaskEventType } from '../../contract/task.ts';
import { type A2aTaskRow, OUTPUT, statusOf, waitsForPerson } from './task-view.ts';

/** What an event says of the state; those that are not here change nothing that other agents see. */
const states: Partial<Record<TaskEventType, A2aState>> = {
  queued: 'TASK_STATE_SUBMITTED',
  waiting_for_agent: 'TASK_STATE_SUBMITTED',
  retry_scheduled: 'TASK_STATE_SUBMITTED',
  deferred: 'TASK_STATE_SUBMITTED',
  requeued: 'TASK_STATE_SUBMITTED',
  started: 'TASK_STATE_WORKING',
  approval_requested: 'TASK_STATE_AUTH_REQUIRED',
  approval_decided: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
};

/** What an event of a task is to other agents: changes of its state, and its answer piece by piece and then as a whole. */
export async function updatesOf(
  event: TaskEvent,
  { id: taskId, context_id: contextId }: Pick<A2aTaskRow, 'id' | 'context_id'>,
  readArtifacts: () => Promise<A2aArtifact[]>,
): Promise<A2aUpdate[]> {
  const ids = { taskId, contextId };
  if (event.type === 'output') {
    const said = runEventOf(event);
    if (said?.type !== 'text:delta') return [];
    const artifact = { artifactId: OUTPUT, name: OUTPUT, parts: [{ text: said.data.delta }] };
    return [{ artifactUpdate: { ...ids, artifact, append: true, lastChunk: false } }];
  }
  const state = states[event.type];
  if (state === undefined) return [];
  const artifacts = event.type === 'completed' ? await readArtifacts() : [];
  const text = event.type === 'approval_requested' ? waitsForPerson : event.message;
  const isSaid = state !== 'TASK_STATE_COMPLETED' && state !== 'TASK_STATE_WORKING';
  const status = statusOf(state, event.at, { id: taskId, contextId, text: isSaid ? text : undefined });
  return [
    ...artifacts.map((artifact) => ({
      artifactUpdate: { ...ids, artifact, append: false, lastChunk: true },
    })),
    { statusUpdate: { ...ids, status } },
  ];
}

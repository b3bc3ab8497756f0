import type { A2aArtifact, A2aMessage, A2aState, A2aStatus, A2aTask } from '../../contract/a2a-messages.ts';
import { A2A_LEGACY_VERSION } from '../../contract/a2a-path.ts';
import type { TaskError, TaskResult, TaskStatus } from '../../contract/task.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';
import { legacyTask } from './legacy-form.ts';

/** The artifact that holds the answer of a task. */
export const OUTPUT = 'output';
/** The artifact that holds what a task changed in files. */
const CHANGES = 'changes';

type Row = Pick<StoredTask, 'id' | 'status' | 'result' | 'error' | 'updated_at'>;

/** A task that another agent sent, as its row says. */
export interface A2aTaskRow extends Row {
  owner_id: string;
  event_seq: number;
  context_id: string;
  /** The message that it came with, as JSON. */
  message: string;
  /** Whether a tool call of it waits for the decision of a person: 1 or 0. */
  is_waiting: number;
  /** The task whose session it continues. */
  continues: string | null;
}

const states: Record<TaskStatus, A2aState> = {
  pending: 'TASK_STATE_SUBMITTED',
  queued: 'TASK_STATE_SUBMITTED',
  in_progress: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
};

/** The statuses of tasks in a state; those in progress may also wait for a decision. */
export const statusesOf = (state: A2aState): TaskStatus[] =>
  (Object.keys(states) as TaskStatus[]).filter((status) => states[status] === state);

/** A status with a text for people. */
export const statusOf = (
  state: A2aState,
  timestamp: string,
  { id, contextId, text }: { id: string; contextId: string; text?: string | undefined },
): A2aStatus => ({
  state,
  timestamp,
  ...(text !== undefined && {
    message: {
      messageId: `${id}-${timestamp}`,
      contextId,
      taskId: id,
      role: 'ROLE_AGENT' as const,
      parts: [{ text }],
    },
  }),
});

/** The answer of a completed task; none where there is no text. */
export function artifactsOf({ status, result }: Pick<Row, 'status' | 'result'>): A2aArtifact[] {
  if (status !== 'completed' || result === null) return [];
  const { output } = JSON.parse(result) as TaskResult;
  return output === '' ? [] : [{ artifactId: OUTPUT, name: OUTPUT, parts: [{ text: output }] }];
}

/** The changes of files as one patch; none where nothing changed. */
export function patchArtifact(files: readonly { patch?: string | undefined }[]): A2aArtifact[] {
  const patch = files.map(({ patch: text = '' }) => text).join('');
  if (patch === '') return [];
  const part = { text: patch, mediaType: 'text/x-diff', filename: 'changes.patch' };
  return [{ artifactId: CHANGES, name: CHANGES, parts: [part] }];
}

/** What a person has to decide is decided in svc, not by the agent that sent the task. */
export const waitsForPerson = 'A tool call waits for the decision of a person in svc.';

function currentStatus(row: Row, contextId: string, isWaiting: boolean): A2aStatus {
  const { id, status, error, updated_at: at } = row;
  if (isWaiting && status === 'in_progress')
    return statusOf('TASK_STATE_AUTH_REQUIRED', at, { id, contextId, text: waitsForPerson });
  const text = status === 'failed' && error !== null ? (JSON.parse(error) as TaskError).message : undefined;
  return statusOf(states[status], at, { id, contextId, text });
}

/** A task in the form of the protocol. */
export function toA2aTask(
  row: A2aTaskRow,
  { historyLength, hasArtifacts = true }: { historyLength?: number | undefined; hasArtifacts?: boolean } = {},
): A2aTask {
  const artifacts = hasArtifacts ? artifactsOf(row) : [];
  return {
    id: row.id,
    contextId: row.context_id,
    status: currentStatus(row, row.context_id, row.is_waiting === 1),
    ...(artifacts.length > 0 && { artifacts }),
    ...(row.continues !== null && { metadata: { continues: row.continues } }),
    ...(historyLength !== 0 && { history: [JSON.parse(row.message) as A2aMessage] }),
  };
}

interface PushForm {
  contextId: string;
  /** The version of the protocol, if not the current one. */
  protocol: string | null;
  /** Whether it waits for the decision of a person. */
  isWaiting?: boolean;
}

/** The body of the notification of the state of a task, in the form of the protocol that its receiver speaks. */
export function pushBody(task: Row, { contextId, protocol, isWaiting = false }: PushForm): string {
  const artifacts = artifactsOf(task);
  const status = currentStatus(task, contextId, isWaiting);
  const told: A2aTask = { id: task.id, contextId, status, ...(artifacts.length > 0 && { artifacts }) };
  return JSON.stringify(protocol === A2A_LEGACY_VERSION ? legacyTask(told) : { task: told });
}

import type { Task, TaskEvent, TaskEventType, TaskField } from '../../contract/task.ts';
import type { TaskEventRow, TaskRow } from '../storage/rows/tasks.ts';

export type StoredTask = TaskRow;

/** The column behind each field of a task. */
export const columnOf: Record<TaskField, keyof TaskRow> = {
  id: 'id',
  title: 'title',
  description: 'description',
  prompt: 'prompt',
  status: 'status',
  priority: 'priority',
  source: 'source',
  sourceId: 'source_id',
  sourceUrl: 'source_url',
  repository: 'repository',
  branch: 'branch',
  labels: 'labels',
  assignedAgent: 'assigned_agent',
  agentType: 'agent_type',
  cwd: 'cwd',
  securityMode: 'security_mode',
  attempts: 'attempts',
  maxAttempts: 'max_attempts',
  held: 'held',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  startedAt: 'started_at',
  completedAt: 'completed_at',
  scheduledFor: 'scheduled_for',
  result: 'result',
  error: 'error',
  retriedFrom: 'retried_from',
  idempotencyKey: 'idempotency_key',
  metadata: 'metadata',
};

const allFields = Object.keys(columnOf) as TaskField[];
const jsonFields: ReadonlySet<TaskField> = new Set(['labels', 'result', 'error', 'metadata']);

/** The fields of a task that a row holds; what is null is left out. */
export function toListedTask(row: Partial<StoredTask>, fields: readonly TaskField[] = allFields) {
  const task: Record<string, unknown> = {};
  for (const field of fields) {
    const value = row[columnOf[field]];
    if (value === null || value === undefined) continue;
    if (field === 'held') {
      if (value === 1) task[field] = true;
    } else task[field] = jsonFields.has(field) ? JSON.parse(value as string) : value;
  }
  return task as Partial<Task> & { id: string };
}

export const toTask = (row: StoredTask): Task => toListedTask(row) as Task;

/** Ids of events are made of the task's id and their number: stable without being stored. */
export function toTaskEvent(taskId: string, row: Omit<TaskEventRow, 'task_seq'>): TaskEvent {
  return {
    seq: row.seq,
    id: `${taskId.replace(/^task_/, 'evt_')}_${row.seq}`,
    type: row.type as TaskEventType,
    at: row.at,
    message: row.message,
    data: JSON.parse(row.data) as TaskEvent['data'],
  };
}

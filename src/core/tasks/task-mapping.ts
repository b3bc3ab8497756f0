import {
  type Task,
  type TaskEvent,
  type TaskEventType,
  type TaskField,
  type TaskOutcome,
  type TaskResult,
  taskFields,
} from '../../contract/task.ts';
import type { TaskEventRow, TaskRow } from '../storage/rows/tasks.ts';
import { columnOf, type FieldColumn, kindOf, type WholeTask } from './task-columns.ts';

export type StoredTask = TaskRow;

/** Where the fields of a task come from, for `toListedTask`. */
export const listedFields = (fields: readonly TaskField[]): FieldColumn[] =>
  fields.map((field) => ({ field, column: columnOf[field], kind: kindOf[field] }));

const allFields = listedFields(taskFields);

/** The fields of a task that a row holds; what is null is left out. */
export function toListedTask(row: Partial<StoredTask>, fields: readonly FieldColumn[] = allFields) {
  const task: Record<string, unknown> = {};
  for (const { field, column, kind } of fields) {
    const value = row[column];
    if (value === null || value === undefined) continue;
    if (kind === 'flag') {
      if (value === 1) task[field] = true;
    } else task[field] = kind === 'json' ? JSON.parse(value as string) : value;
  }
  return task as Partial<Task> & { id: string };
}

/** The numbers of a stored result, which may be as long as a file. */
export function toOutcome(result: string): TaskOutcome {
  const { success, usage, cost, duration, model, verified, changes } = JSON.parse(result) as TaskResult;
  const { patch: _, ...counts } = changes ?? { patch: undefined };
  return {
    success,
    duration,
    ...(usage && { usage }),
    ...(cost !== undefined && { cost }),
    ...(model !== undefined && { model }),
    ...(verified !== undefined && { verified }),
    ...(changes && { changes: counts as NonNullable<TaskOutcome['changes']> }),
  };
}

export const toTask = (row: WholeTask & Partial<StoredTask>): Task => toListedTask(row) as Task;

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

import type { CreateTask, ExportedTask } from '../../contract/task.ts';
import type { TaskRow } from '../storage/rows/tasks.ts';
import {
  columnsWhere,
  type ColumnKind,
  type FieldColumn,
  fieldsWhere,
  type WholeTask,
  untouched,
} from './task-columns.ts';

export type PlainTask = Omit<CreateTask, 'idempotencyKey'>;

const inputFields = fieldsWhere(({ onCreate }) => onCreate === 'input');
const retriedColumns = columnsWhere(({ onRetry }) => onRetry === 'copy');
const importedFields = fieldsWhere(({ transfer }) => transfer === 'both');
const finishedFields = fieldsWhere(({ transfer }) => transfer === 'finished');

/** The columns that the service sets, regardless of the input. */
type Decided<C extends keyof TaskRow> = Pick<TaskRow, C> & Partial<TaskRow>;

/** The row of a task that a caller describes. */
export const rowOfInput = (
  input: PlainTask,
  decided: Decided<'id' | 'owner_id' | 'max_attempts' | 'may_command' | 'created_at' | 'updated_at'>,
): WholeTask => fill(inputFields, input, decided);

/** The row of a task with the same parameters as another one. */
export function rowOfRetry(
  old: TaskRow,
  decided: Decided<'id' | 'may_command' | 'created_at' | 'updated_at' | 'retried_from'>,
): WholeTask {
  const row: Record<string, unknown> = { ...untouched };
  for (const column of retriedColumns) row[column] = old[column];
  return Object.assign(row, decided) as unknown as WholeTask;
}

/** The row of an exported task: of one that is not finished nothing is taken that its runs left behind. */
export const rowOfImport = (
  task: ExportedTask,
  isFinished: boolean,
  decided: Decided<'owner_id' | 'status' | 'held' | 'may_command' | 'is_trusted'>,
): WholeTask => fill(isFinished ? [...importedFields, ...finishedFields] : importedFields, task, decided);

/** Begins with all columns, so that all rows have the same ones in the same order. */
function fill(
  fields: readonly FieldColumn[],
  values: { [F in keyof ExportedTask]?: unknown },
  decided: object,
): WholeTask {
  const row: Record<string, unknown> = { ...untouched };
  for (const { field, column, kind } of fields) {
    const value = values[field];
    if (value !== undefined) row[column] = toColumn(value, kind);
  }
  return Object.assign(row, decided) as unknown as WholeTask;
}

function toColumn(value: unknown, kind: ColumnKind): unknown {
  if (kind === 'json') return JSON.stringify(value);
  if (kind === 'flag') return value === true ? 1 : 0;
  // Lists are sorted by the text of their times, so that all have the same form.
  if (kind === 'time') return new Date(value as string).toISOString();
  return value;
}

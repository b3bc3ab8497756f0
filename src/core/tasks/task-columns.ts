import { type ExportedTask, type TaskField, taskFields } from '../../contract/task.ts';
import type { TaskHead, TaskRow } from '../storage/rows/tasks.ts';

export type ColumnKind = 'text' | 'json' | 'flag' | 'number' | 'time';

interface TaskColumn {
  /** Its name in the contract; absent for what callers never see. */
  field?: keyof ExportedTask;
  kind: ColumnKind;
  /**
   * What a new task has: what its creator said, what the service decides, what the store counts, or this value as long
   * as nothing else is decided.
   */
  onCreate: 'input' | 'service' | 'store' | { default: string | number | null };
  onRetry: 'copy' | 'reset';
  /** True where the life of the task changes it. */
  moves: boolean;
  /** Whether an export shows it and an import takes it; `finished`: an import takes it of a finished task only. */
  transfer: 'both' | 'finished' | 'exported' | 'never';
}

/** What the creator says of a task. */
const said = { onCreate: 'input', onRetry: 'copy', moves: false, transfer: 'both', inHead: true } as const;
const unset = { default: null } as const;
/** What the service knows of a task besides. */
const known = { onCreate: 'service', onRetry: 'reset', moves: false, inHead: true } as const;
/** What the runs of a task leave behind. */
const left = { onCreate: unset, onRetry: 'reset', moves: true, transfer: 'finished', inHead: true } as const;
/** What only the workers of this daemon know. */
const inner = { onRetry: 'reset', transfer: 'never', inHead: true } as const;

/**
 * Every column of a task, once: the mapping to the contract, the short row of state changes, new rows, retries, exports
 * and imports derive from it. A column of `TaskRow` that is missing here does not compile.
 */
export const taskColumns = {
  seq: { ...inner, kind: 'number', onCreate: 'store', moves: false },
  id: { ...known, field: 'id', kind: 'text', transfer: 'both' },
  owner_id: { ...known, kind: 'text', onRetry: 'copy', transfer: 'never' },
  title: { ...said, field: 'title', kind: 'text' },
  status: { ...known, field: 'status', kind: 'text', transfer: 'exported', onCreate: { default: 'pending' } },
  priority: { ...said, field: 'priority', kind: 'number' },
  source: { ...said, field: 'source', kind: 'text' },
  source_id: { ...said, field: 'sourceId', kind: 'text', inHead: false },
  source_url: { ...said, field: 'sourceUrl', kind: 'text' },
  repository: { ...said, field: 'repository', kind: 'text' },
  branch: { ...said, field: 'branch', kind: 'text' },
  labels: { ...said, field: 'labels', kind: 'json' },
  cwd: { ...said, field: 'cwd', kind: 'text' },
  needs: { ...said, field: 'needs', kind: 'json' },
  // A directory of one host is no directory of another installation.
  home: {
    ...inner,
    field: 'home',
    kind: 'text',
    onCreate: unset,
    onRetry: 'copy',
    moves: true,
    transfer: 'exported',
  },
  daemon: { ...left, field: 'daemon', kind: 'json', transfer: 'exported' },
  assigned_agent: { ...said, field: 'assignedAgent', kind: 'text' },
  agent_type: { ...left, field: 'agentType', kind: 'text' },
  attempts: { ...left, field: 'attempts', kind: 'number', onCreate: { default: 0 } },
  // The service knows how many there are where its creator said nothing.
  max_attempts: { ...said, field: 'maxAttempts', kind: 'number', onCreate: 'service' },
  // The service decides where its creator said nothing.
  retry_on_failure: { ...said, field: 'retryOnFailure', kind: 'flag', onCreate: { default: 0 } },
  // No client follows the retry or the import of such a task.
  attached: {
    ...said,
    field: 'attached',
    kind: 'flag',
    onCreate: { default: 0 },
    onRetry: 'reset',
    transfer: 'exported',
  },
  crashes: { ...inner, kind: 'number', onCreate: { default: 0 }, moves: true },
  suspect: { ...inner, kind: 'number', onCreate: { default: 0 }, moves: true },
  crash_log: { ...inner, kind: 'json', onCreate: unset, moves: true },
  forgiven: { ...inner, kind: 'number', onCreate: { default: 0 }, moves: true },
  outages: { ...inner, kind: 'number', onCreate: { default: 0 }, moves: true },
  outage_since: { ...inner, kind: 'time', onCreate: unset, moves: true },
  interactive: { ...inner, kind: 'flag', onCreate: { default: 0 }, moves: false },
  // The rights of the user who creates, retries or imports it; never those in a file.
  may_command: { ...inner, kind: 'flag', onCreate: 'service', moves: true },
  // No file gives an agent to the text of others.
  agent_rule: { ...inner, kind: 'json', onCreate: unset, onRetry: 'copy', moves: false },
  held: { ...left, field: 'held', kind: 'flag', onCreate: { default: 0 }, transfer: 'exported' },
  fence: { ...inner, kind: 'number', onCreate: { default: 0 }, moves: true },
  lease_owner: { ...inner, kind: 'text', onCreate: unset, moves: true },
  lease_until: { ...inner, kind: 'time', onCreate: unset, moves: true },
  event_seq: { ...inner, kind: 'number', onCreate: 'store', moves: false },
  created_at: { ...known, field: 'createdAt', kind: 'time', transfer: 'both' },
  updated_at: { ...known, field: 'updatedAt', kind: 'time', transfer: 'both' },
  started_at: { ...left, field: 'startedAt', kind: 'time' },
  completed_at: { ...left, field: 'completedAt', kind: 'time' },
  scheduled_for: { ...left, field: 'scheduledFor', kind: 'time', transfer: 'exported' },
  retried_from: { ...known, field: 'retriedFrom', kind: 'text', onCreate: unset, transfer: 'both' },
  best_of: { ...said, field: 'bestOf', kind: 'json' },
  // An imported candidate is a task of its own.
  parent_id: { ...known, field: 'parentId', kind: 'text', onCreate: unset, transfer: 'exported' },
  // Another request or installation has another trace.
  trace_context: { ...inner, kind: 'text', onCreate: unset, moves: true },
  choice: { ...left, field: 'choice', kind: 'json', inHead: false },
  idempotency_key: {
    ...known,
    field: 'idempotencyKey',
    kind: 'text',
    onCreate: unset,
    transfer: 'exported',
    inHead: false,
  },
  env: { ...inner, kind: 'text', onCreate: unset, onRetry: 'copy', moves: false, inHead: false },
  // The values are not in an export, so that an import does not know them.
  env_names: {
    ...known,
    field: 'envNames',
    kind: 'json',
    onCreate: unset,
    onRetry: 'copy',
    transfer: 'exported',
    inHead: false,
  },
  umask: { ...said, field: 'umask', kind: 'number', inHead: false },
  // Not a flag: a task that refuses one differs from a task that says nothing.
  worktree: { ...said, field: 'worktree', kind: 'json', inHead: false },
  memory_scope: { ...said, field: 'memoryScope', kind: 'text', inHead: false },
  security_mode: { ...said, field: 'securityMode', kind: 'text', inHead: false },
  verify: { ...said, field: 'verify', kind: 'json', inHead: false },
  repair: { ...said, field: 'repair', kind: 'number', inHead: false },
  model: { ...said, field: 'model', kind: 'text', inHead: false },
  provider: { ...said, field: 'provider', kind: 'text', inHead: false },
  max_steps: { ...said, field: 'maxSteps', kind: 'number', inHead: false },
  max_budget: { ...said, field: 'maxBudget', kind: 'number', inHead: false },
  max_cost_usd: { ...said, field: 'maxCostUsd', kind: 'text', inHead: false },
  max_time_ms: { ...said, field: 'maxTimeMs', kind: 'number', inHead: false },
  token_id: { ...inner, kind: 'text', onCreate: unset, onRetry: 'copy', moves: false, inHead: false },
  continues: { ...said, field: 'continues', kind: 'text', inHead: false },
  output_schema: { ...said, field: 'outputSchema', kind: 'json', inHead: false },
  // An import decides itself whether it believes the field, see `task-import.ts`.
  is_trusted: {
    ...known,
    field: 'trusted',
    kind: 'flag',
    onCreate: { default: 1 },
    onRetry: 'copy',
    transfer: 'exported',
    inHead: false,
  },
  error: { ...left, field: 'error', kind: 'json', inHead: false },
  metadata: { ...said, field: 'metadata', kind: 'json', inHead: false },
  description: { ...said, field: 'description', kind: 'text', inHead: false },
  prompt: { ...said, field: 'prompt', kind: 'text', inHead: false },
  result: { ...left, field: 'result', kind: 'json', inHead: false },
} as const satisfies {
  [C in keyof TaskRow]: TaskColumn & { inHead: C extends keyof TaskHead ? true : false };
};

type Columns = typeof taskColumns;
/** The columns whose entry looks like this. */
type ColumnWhere<T> = { [C in keyof Columns]: Columns[C] extends T ? C : never }[keyof Columns];
type MayBeNull = { [C in keyof TaskRow]: null extends TaskRow[C] ? C : never }[keyof TaskRow];
type StoreColumn = ColumnWhere<{ onCreate: 'store' }>;
type OptionalColumn = ColumnWhere<{ onCreate: { default: unknown } }> | MayBeNull;

/** A task before it is stored; what it does not say is `untouched`. */
export type NewTask = Omit<TaskRow, StoreColumn | OptionalColumn> & Partial<Pick<TaskRow, OptionalColumn>>;
/** A task before it is stored, with all that can be said of it. */
export type WholeTask = Omit<TaskRow, StoreColumn>;
/** What a move changes beside status, time and events. */
export type TaskChange = Partial<Pick<TaskRow, ColumnWhere<{ moves: true }>>>;

export interface FieldColumn {
  field: keyof ExportedTask;
  column: keyof TaskRow;
  kind: ColumnKind;
}

const entries = Object.entries(taskColumns) as [keyof TaskRow, TaskColumn & { inHead: boolean }][];

export const columnsWhere = (test: (entry: TaskColumn & { inHead: boolean }) => boolean): (keyof TaskRow)[] =>
  entries.filter(([, entry]) => test(entry)).map(([column]) => column);

export const fieldsWhere = (test: (entry: TaskColumn) => boolean): FieldColumn[] =>
  entries.flatMap(([column, entry]) =>
    entry.field !== undefined && test(entry) ? [{ field: entry.field, column, kind: entry.kind }] : [],
  );

/** The columns that state changes and events need. */
export const headColumns = columnsWhere(({ inHead }) => inHead) as (keyof TaskHead)[];

/** What a task has as long as nothing else is said. Every row is made of it, so that all name the same columns. */
export const untouched = Object.fromEntries(
  entries
    .filter(([, { onCreate }]) => onCreate !== 'store')
    .map(([column, { onCreate }]) => [column, typeof onCreate === 'object' ? onCreate.default : null]),
) as Pick<TaskRow, OptionalColumn>;

/** Where the contract's fields of a task are stored; a field without a column does not compile. */
export const columnOf: Record<TaskField, keyof TaskRow> = Object.fromEntries(
  fieldsWhere(() => true).map(({ field, column }) => [field, column]),
) as { [C in keyof Columns as Columns[C] extends { field: infer F extends string } ? F : never]: C };

/** The kind of each field. */
export const kindOf = Object.fromEntries(
  taskFields.map((field) => [field, taskColumns[columnOf[field]].kind]),
) as Record<TaskField, ColumnKind>;

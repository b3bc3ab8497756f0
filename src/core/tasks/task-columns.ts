import type { TaskHead } from '../storage/rows/tasks.ts';
import type { StoredTask } from './task-mapping.ts';

export const headColumns = [
  'seq',
  'id',
  'owner_id',
  'title',
  'status',
  'priority',
  'source',
  'source_url',
  'repository',
  'branch',
  'labels',
  'assigned_agent',
  'agent_type',
  'attempts',
  'max_attempts',
  'crashes',
  'may_command',
  'held',
  'fence',
  'lease_owner',
  'lease_until',
  'event_seq',
  'created_at',
  'updated_at',
  'started_at',
  'completed_at',
  'scheduled_for',
  'retried_from',
] as const satisfies readonly (keyof TaskHead)[];

/** What a task has as long as nothing else is said. */
export const untouched = {
  security_mode: null,
  is_trusted: 1,
  agent_type: null,
  attempts: 0,
  crashes: 0,
  fence: 0,
  lease_owner: null,
  lease_until: null,
  started_at: null,
  completed_at: null,
  scheduled_for: null,
  error: null,
  result: null,
} satisfies Partial<StoredTask>;

export type NewTask = Omit<StoredTask, 'seq' | 'event_seq' | keyof typeof untouched> &
  Partial<Pick<StoredTask, keyof typeof untouched>>;
/** What a move changes beside status, time and events. */
export type TaskChange = Partial<
  Pick<
    StoredTask,
    | 'agent_type'
    | 'attempts'
    | 'crashes'
    | 'may_command'
    | 'fence'
    | 'held'
    | 'lease_owner'
    | 'lease_until'
    | 'started_at'
    | 'completed_at'
    | 'scheduled_for'
    | 'error'
    | 'result'
  >
>;

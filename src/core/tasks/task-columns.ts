import type { StoredTask } from './task-mapping.ts';

/** The short part of a task that moves and events need. */
export type TaskHead = Omit<
  StoredTask,
  'description' | 'prompt' | 'metadata' | 'result' | 'error' | 'cwd' | 'idempotency_key' | 'source_id'
>;

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

export type NewTask = Omit<
  StoredTask,
  'seq' | 'fence' | 'lease_owner' | 'lease_until' | 'crashes' | 'event_seq'
>;
/** What a move changes beside status, time and events. */
export type TaskChange = Partial<
  Pick<
    StoredTask,
    | 'agent_type'
    | 'attempts'
    | 'crashes'
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

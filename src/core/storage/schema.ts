import type { TaskStatus } from '../../contract/task.ts';
import type {
  ApiTokenRow,
  AuditRow,
  ConnectionRow,
  DeviceRow,
  GatewayRequestRow,
  InviteRow,
  NotifyDeliveryRow,
  OneTimeTokenRow,
  PairingRequestRow,
  SessionRow,
  UsedNonceRow,
  UserRow,
} from './account-rows.ts';
import type { ConversationRow, MessageRow } from './chat-rows.ts';
import type { ExperienceRow, MemorySessionRow, PreferenceRow } from './memory-rows.ts';
import type {
  InboundDeliveryRow,
  ScheduleRow,
  SourceClaimRow,
  SourceCommentRow,
  WebhookDeliveryRow,
  WebhookRow,
} from './outside-rows.ts';
import type { AgentRunRow, AllowedToolRow, ApprovalRow } from './tool-rows.ts';

/**
 * The short part of a task that state changes and events need. Column types are those that both engines know: text,
 * integer, JSON as text, times as ISO text. What each column is for the product stands in `tasks/task-columns.ts`.
 */
export interface TaskHead {
  seq: number;
  id: string;
  owner_id: string;
  title: string;
  status: TaskStatus;
  priority: number;
  source: string;
  source_url: string | null;
  repository: string | null;
  branch: string | null;
  labels: string;
  assigned_agent: string | null;
  agent_type: string | null;
  attempts: number;
  max_attempts: number;
  /** How often the task's run died together with its worker. */
  crashes: number;
  /** 1 when the creator may run commands. */
  may_command: number;
  /** 1 while an imported task waits for its release. */
  held: number;
  /** Counts claims; a worker writes only while this is still its own number. */
  fence: number;
  lease_owner: string | null;
  lease_until: string | null;
  /** The number of the newest event. */
  event_seq: number;
  created_at: string;
  updated_at: string;
  started_at: string | null;
  completed_at: string | null;
  scheduled_for: string | null;
  retried_from: string | null;
}

/** All of a task. */
export interface TaskRow extends TaskHead {
  source_id: string | null;
  idempotency_key: string | null;
  cwd: string | null;
  /** The strictest mode that its creator asked for. */
  security_mode: string | null;
  /** 0 where untrusted text is its prompt. */
  is_trusted: number;
  error: string | null;
  metadata: string | null;
  description: string | null;
  prompt: string | null;
  result: string | null;
}

export interface TaskEventRow {
  task_seq: number;
  seq: number;
  type: string;
  at: string;
  message: string;
  data: string;
}

/** One cell of the counts that lists and health read instead of counting rows. */
export interface TaskCountRow {
  owner_id: string;
  status: string;
  priority: number;
  source: string;
  agent: string;
  n: number;
  /** Milliseconds, the sum over the tasks of the cell. */
  duration: number;
}

export interface TaskDayRow {
  owner_id: string;
  day: string;
  created: number;
  completed: number;
  failed: number;
}

export interface IdempotencyKeyRow {
  owner_id: string;
  scope: string;
  key: string;
  body_hash: string;
  answer: string;
  created_at: string;
}

export interface DeadLetterRow {
  id: string;
  task_id: string;
  owner_id: string;
  title: string;
  attempts: number;
  class: string;
  first_error: string;
  last_error: string;
  status: string;
  resolution: string | null;
  note: string | null;
  created_at: string;
  resolved_at: string | null;
}

export interface NotificationRow {
  id: string;
  user_id: string;
  type: string;
  title: string;
  message: string;
  task_id: string | null;
  data: string;
  created_at: string;
  read_at: string | null;
}

/** Small durable facts of the installation: the access key's hash, the pause of the queue. */
export interface StateRow {
  key: string;
  value: string;
}

export interface Schema {
  tasks: TaskRow;
  task_events: TaskEventRow;
  task_counts: TaskCountRow;
  task_days: TaskDayRow;
  idempotency_keys: IdempotencyKeyRow;
  dead_letters: DeadLetterRow;
  notifications: NotificationRow;
  users: UserRow;
  sessions: SessionRow;
  invites: InviteRow;
  api_tokens: ApiTokenRow;
  one_time_tokens: OneTimeTokenRow;
  connections: ConnectionRow;
  devices: DeviceRow;
  pairing_requests: PairingRequestRow;
  used_nonces: UsedNonceRow;
  gateway_requests: GatewayRequestRow;
  notify_deliveries: NotifyDeliveryRow;
  audit_log: AuditRow;
  conversations: ConversationRow;
  messages: MessageRow;
  approvals: ApprovalRow;
  allowed_tools: AllowedToolRow;
  agent_runs: AgentRunRow;
  inbound_deliveries: InboundDeliveryRow;
  source_claims: SourceClaimRow;
  source_comments: SourceCommentRow;
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  schedules: ScheduleRow;
  memory_sessions: MemorySessionRow;
  experiences: ExperienceRow;
  preferences: PreferenceRow;
  state: StateRow;
}

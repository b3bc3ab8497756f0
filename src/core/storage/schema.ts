import type { UsageRow } from './rows/usage.ts';
import type { UsageDayRow } from './rows/usage-days.ts';
import type { TaskSessionRow } from './rows/agent-sessions.ts';
import type { AgentRunRow } from './rows/agent-runs.ts';
import type { AllowedCallRow, AllowedToolRow, ApprovalRow, SigningKeyRow } from './rows/approvals.ts';
import type { AuditRow } from './rows/audit.ts';
import type { ApiTokenRow, InviteRow, OneTimeTokenRow, SessionRow, UserRow } from './rows/auth.ts';
import type { SourceCommentRow } from './rows/comments.ts';
import type { ConnectionRow } from './rows/connections.ts';
import type { ConversationRow, MessageRow } from './rows/conversations.ts';
import type { CommitRow } from './rows/commits.ts';
import type { DaemonRow } from './rows/daemons.ts';
import type { DeadLetterRow } from './rows/dead-letters.ts';
import type { DeviceRow, PairingRequestRow, UsedNonceRow } from './rows/devices.ts';
import type { FileChangeRow } from './rows/file-changes.ts';
import type { GatewayRequestRow, NotifyDeliveryRow } from './rows/gateway.ts';
import type { InboundDeliveryRow, SourceClaimRow } from './rows/inbound.ts';
import type { LeaseRow } from './rows/leases.ts';
import type {
  ExperienceChangeRow,
  MemoryFileRow,
  MemoryStreamRow,
  MemoryVectorRow,
} from './rows/shared-memory.ts';
import type { ExperienceRow, MemorySessionRow, PreferenceRow } from './rows/memory.ts';
import type { NotificationRow } from './rows/notifications.ts';
import type { PushMessageRow, PushSubscriptionRow } from './rows/push.ts';
import type { FollowUpRow, PublicationRow, PullRequestRow } from './rows/pull-requests.ts';
import type { AuditArchiveRow, RemovedTaskRow } from './rows/retention.ts';
import type { ScheduleRow } from './rows/schedules.ts';
import type { SettingRow } from './rows/settings.ts';
import type { StateRow } from './rows/state.ts';
import type {
  IdempotencyKeyRow,
  TaskCountRow,
  TaskDayRow,
  TaskEventRow,
  TaskLabelRow,
  TaskWordsRow,
  TaskRow,
} from './rows/tasks.ts';
import type { WebhookDeliveryRow, WebhookRow } from './rows/webhooks.ts';
import type { WorktreeRow } from './rows/worktrees.ts';

/** All tables by name. Columns use types that every engine has: text, integer, JSON as text, times as ISO text. */
export interface Schema {
  tasks: TaskRow;
  task_events: TaskEventRow;
  task_counts: TaskCountRow;
  task_days: TaskDayRow;
  task_labels: TaskLabelRow;
  /** PostgreSQL's text index; SQLite has one of its own. */
  task_words: TaskWordsRow;
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
  audit_archives: AuditArchiveRow;
  removed_tasks: RemovedTaskRow;
  conversations: ConversationRow;
  messages: MessageRow;
  approvals: ApprovalRow;
  allowed_calls: AllowedCallRow;
  allowed_tools: AllowedToolRow;
  signing_keys: SigningKeyRow;
  agent_runs: AgentRunRow;
  task_sessions: TaskSessionRow;
  file_changes: FileChangeRow;
  inbound_deliveries: InboundDeliveryRow;
  source_claims: SourceClaimRow;
  source_comments: SourceCommentRow;
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  schedules: ScheduleRow;
  memory_sessions: MemorySessionRow;
  experiences: ExperienceRow;
  preferences: PreferenceRow;
  /** In mode pro. */
  memory_streams: MemoryStreamRow;
  /** In mode pro. */
  memory_files: MemoryFileRow;
  /** In mode pro. */
  memory_vectors: MemoryVectorRow;
  /** In mode pro. */
  experience_changes: ExperienceChangeRow;
  usage: UsageRow;
  usage_days: UsageDayRow;
  state: StateRow;
  settings: SettingRow;
  worktrees: WorktreeRow;
  pull_requests: PullRequestRow;
  follow_ups: FollowUpRow;
  publications: PublicationRow;
  push_subscriptions: PushSubscriptionRow;
  push_messages: PushMessageRow;
  /** In mode pro. */
  commits: CommitRow;
  /** In mode pro. */
  daemons: DaemonRow;
  /** In mode pro. */
  leases: LeaseRow;
}

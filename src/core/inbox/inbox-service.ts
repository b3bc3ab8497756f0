import type { Inbox, InboxItem, InboxQuery } from '../../contract/inbox.ts';
import type { Notification } from '../../contract/notifications.ts';
import type { ListedField } from '../../contract/task.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import { type Caller, isAdmin } from '../auth/caller.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Runtime } from '../runtime.ts';
import type { DeadLetterService } from '../tasks/dead-letter-service.ts';
import type { QueueStatusService } from '../tasks/queue-status-service.ts';
import type { TaskListService } from '../tasks/task-list-service.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';

export interface InboxDeps {
  approvals: Pick<ApprovalService, 'list'>;
  deadLetters: Pick<DeadLetterService, 'list'>;
  notifications: Pick<NotificationService, 'unread'>;
  webhooks: Pick<WebhookService, 'list'>;
  registry: Pick<AgentRegistry, 'needingLogin'>;
  modelProviders: Pick<ModelProviders, 'needingPerson'>;
  queueStatus: Pick<QueueStatusService, 'isPaused'>;
  taskLists: Pick<TaskListService, 'filter'>;
  runtime: Pick<Runtime, 'now'>;
}

/** More of them may not wait, see `ApprovalService`. */
const ALL_APPROVALS = 500;

const rowFields: ListedField[] = [
  'id',
  'title',
  'status',
  'assignedAgent',
  'agentType',
  'createdAt',
  'startedAt',
  'completedAt',
  'progress',
  'outcome',
];

/** What waits for a person, what is running and what was completed, in one reading. */
export class InboxService {
  readonly #deps: InboxDeps;
  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  async read(caller: Caller, { since = this.#startOfDay(), limit }: InboxQuery): Promise<Inbox> {
    const [calls, failed, news, hooks, running, queued, completed] = await Promise.all([
      this.#approvals(caller, limit),
      this.#deps.deadLetters.list(caller, { status: 'pending', limit, offset: 0 }),
      this.#deps.notifications.unread(caller, { except: shownAsItems(caller), limit }),
      this.#webhooks(caller),
      this.#tasks(caller, { status: ['in_progress'], limit }),
      this.#tasks(caller, { status: ['pending', 'queued'], limit: 1 }),
      this.#tasks(caller, { status: ['completed'], completedAfter: since, sortBy: 'completedAt', limit }),
    ]);
    const daemon = isAdmin(caller) ? this.#daemonItems() : [];
    return {
      items: [
        ...calls.shown,
        ...daemon.slice(0, limit),
        ...hooks.slice(0, limit),
        ...failed.items.map((deadLetter) => ({ kind: 'dead_letter' as const, deadLetter })),
        ...news.notifications.map((notification) => ({ kind: 'notification' as const, notification })),
      ],
      counts: {
        needsYou: calls.total + daemon.length + hooks.length + failed.total + news.total,
        approvals: calls.total,
        deadLetters: failed.total,
        notifications: news.total,
        unread: news.unread,
      },
      running,
      queued: queued.total,
      completed: { ...completed, since },
    };
  }

  async #approvals(caller: Caller, limit: number): Promise<{ shown: InboxItem[]; total: number }> {
    const { approvals } = await this.#deps.approvals.list(caller, {
      status: 'pending',
      limit: ALL_APPROVALS,
    });
    const shown = approvals.slice(0, limit).map((approval) => ({ kind: 'approval' as const, approval }));
    return { shown, total: approvals.length };
  }

  async #webhooks(caller: Caller): Promise<InboxItem[]> {
    const webhooks = await this.#deps.webhooks.list(caller);
    return webhooks
      .filter(({ status }) => status === 'failing')
      .map(({ id, url, description, failureCount, failingSince }) => ({
        kind: 'webhook',
        webhook: {
          id,
          url,
          ...(description !== undefined && { description }),
          failureCount,
          ...(failingSince !== undefined && { failingSince }),
        },
      }));
  }

  /** What keeps the daemon from working, which administrators can change. */
  #daemonItems(): InboxItem[] {
    const { queueStatus, registry, modelProviders } = this.#deps;
    const message = 'The queue is paused. Tasks wait until it is resumed.';
    return [
      ...(queueStatus.isPaused ? [{ kind: 'queue' as const, message }] : []),
      ...registry.needingLogin().map((agent) => ({ kind: 'agent' as const, agent })),
      ...modelProviders.needingPerson().map((provider) => ({ kind: 'provider' as const, provider })),
    ];
  }

  async #tasks(caller: Caller, query: Partial<Parameters<TaskListService['filter']>[1]> & { limit: number }) {
    const { tasks, total } = await this.#deps.taskLists.filter(caller, {
      sortBy: 'createdAt',
      sortOrder: 'desc',
      fields: rowFields,
      ...query,
    });
    return { tasks, total };
  }

  #startOfDay(): string {
    const day = this.#deps.runtime.now();
    day.setHours(0, 0, 0, 0);
    return day.toISOString();
  }
}

/** Notifications of what this person sees as an item, as long as it matters. */
const shownAsItems = (caller: Caller): Notification['type'][] => [
  'approval_requested',
  'task_dead_lettered',
  'webhook_failing',
  ...(isAdmin(caller) ? (['agent_needs_login'] as const) : []),
];

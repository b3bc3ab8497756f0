import type { Choice } from '../../contract/best-of.ts';
import type { Task } from '../../contract/task.ts';
import type { Config } from '../config/config.ts';
import type { EventBus } from '../events.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { Runtime } from '../runtime.ts';
import { unlessAborted } from '../async/unless-aborted.ts';
import type { Database } from '../storage/database.ts';
import type { AgentRun } from '../agents/agent-adapter.ts';
import type { CandidateStore } from './candidate-store.ts';

/** As long as calls of a task wait for an approval. */
const LIFETIME_MS = 24 * 3_600_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface PickDeps {
  database: Database;
  bus: EventBus;
  config: Pick<Config, 'get'>;
  notifications: NotificationService;
  candidates: CandidateStore;
  runtime: Runtime;
}

/** Waits until a person has chosen a candidate; resolves to undefined where nobody did in time. */
export async function awaitPick(
  deps: PickDeps,
  run: AgentRun,
  { ownerId, ended }: { ownerId: string; ended: readonly Task[] },
): Promise<Choice | undefined> {
  const { config, bus, candidates, runtime } = deps;
  const { task, signal } = run;
  const finishedAt = Math.max(...ended.map(({ completedAt = '' }) => Date.parse(completedAt) || 0));
  // From the end of the last candidate, so that a restart of the daemon does not prolong it.
  const until = finishedAt + (config.get('approvals.expireAfter') ?? LIFETIME_MS);
  await notifyOnce(deps, task, ownerId);
  run.emit({
    type: 'progress',
    message: `Waiting for you to choose. Compare: svc tasks compare ${task.id}  Choose: svc tasks pick ${task.id} CANDIDATE`,
    data: { waitsFor: 'pick', until: new Date(until).toISOString() },
  });
  const changed = Promise.withResolvers<void>();
  const unsubscribe = bus.on('task', ({ task: { id }, event }) => {
    if (id === task.id && event.data['choice'] !== undefined) changed.resolve();
  });
  const look = () => {
    candidates.choiceOf(task.id).then((choice) => {
      if (choice) changed.resolve();
    }, changed.reject);
  };
  const stopLooking = bus.onDoubt(look);
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    const left = until - runtime.now().getTime();
    if (left <= 0) changed.resolve();
    else timer = setTimeout(wait, Math.min(left, MAX_TIMER_MS));
  };
  try {
    signal.throwIfAborted();
    look();
    wait();
    await unlessAborted(changed.promise, signal);
    return await candidates.choiceOf(task.id);
  } finally {
    clearTimeout(timer);
    unsubscribe();
    stopLooking();
  }
}

async function notifyOnce({ database, notifications }: PickDeps, task: Task, userId: string): Promise<void> {
  await database.write(async (transaction) => {
    const type = 'candidates_to_compare';
    await database.engine.lockUser(transaction.db, userId);
    const known = await transaction.db
      .selectFrom('notifications')
      .select('id')
      .where('task_id', '=', task.id)
      .where('type', '=', type)
      .limit(1)
      .executeTakeFirst();
    if (known) return;
    notifications.add(transaction, {
      userId,
      type,
      title: `Choose a candidate: ${task.title}`.slice(0, 500),
      message: `Compare them: svc tasks compare ${task.id}`,
      taskId: task.id,
      data: {},
    });
  });
}

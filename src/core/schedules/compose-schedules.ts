import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Feature } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskFeature } from '../tasks/compose-tasks.ts';
import type { NewTaskCheck } from '../tasks/new-task-check.ts';
import type { TaskFinishWatcher } from '../tasks/task-finish-watcher.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { IdempotencyStore } from '../tasks/idempotency-store.ts';
import { ScheduleOccurrences } from './schedule-occurrences.ts';
import { ScheduleService } from './schedule-service.ts';
import { ScheduleStore } from './schedule-store.ts';
import { Scheduler } from './scheduler.ts';

export interface ScheduleDeps {
  database: Database;
  finishWatcher: TaskFinishWatcher;
  tasks: TaskService;
  registry: AgentRegistry;
  taskStore: TaskStore;
  execution: Pick<TaskFeature['execution'], 'environments'>;
  notifications: NotificationService;
  modelProviders: Pick<ModelProviders, 'addUsers'>;
  newTaskCheck: Pick<NewTaskCheck, 'modelWarning'>;
  runtime: Runtime;
  log: Log;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
  /** The time zone of schedules that name none. */
  systemZone?: () => string;
}

/** Wires schedules and the scheduler that starts their tasks. */
export function composeSchedules({
  taskStore,
  finishWatcher,
  modelProviders,
  newTaskCheck: check,
  execution: { environments },
  setTimer = (run, ms) => setTimeout(run, ms).unref(),
  systemZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
  ...deps
}: ScheduleDeps) {
  const store = new ScheduleStore(deps.database);
  const occurrences = new ScheduleOccurrences({
    ...deps,
    store,
    taskStore,
    onStart: (run) => scheduler.watch(run),
  });
  const scheduler = new Scheduler({ ...deps, store, finishWatcher, occurrences, setTimer });
  const schedules = new ScheduleService({
    ...deps,
    store,
    idempotency: new IdempotencyStore(deps.database),
    occurrences,
    check,
    environments,
    systemZone,
    onPlanned: () => scheduler.wake(),
  });
  modelProviders.addUsers(async (provider) =>
    (await store.namesUsing(provider)).map((name) => `the schedule "${name}" uses it`),
  );
  const services = { schedules, scheduler };
  return {
    services,
    lifecycle: { start: () => scheduler.start(), stop: () => scheduler.stop() },
  } satisfies Feature<typeof services>;
}

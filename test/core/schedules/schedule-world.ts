import type { CreateSchedule } from '../../../src/contract/schedules.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { type Log, silentLog } from '../../../src/core/log.ts';
import { NotificationService } from '../../../src/core/notifications/notification-service.ts';
import { composeSchedules } from '../../../src/core/schedules/compose-schedules.ts';
import type { ScheduleRow } from '../../../src/core/storage/rows/schedules.ts';
import { type Runtime, systemRuntime } from '../../../src/core/runtime.ts';
import { TaskFinishWatcher } from '../../../src/core/tasks/task-finish-watcher.ts';
import { openStorage } from '../../helpers/storage.ts';
import { openTaskService } from '../../helpers/task-service.ts';
import { testAdapter } from '../../helpers/tasks.ts';
import { manualTimer } from '../outbound/manual-timer.ts';

export const ann: Caller = { userId: 'user_ann', role: 'user' };
export const ada: Caller = { userId: 'user_ada', role: 'admin' };

export const daily: CreateSchedule = {
  cron: '0 3 * * *',
  timezone: 'UTC',
  task: { title: 'Check', priority: 3, labels: [], assignedAgent: 'test' },
  overlap: 'skip',
  catchUp: 'run_once',
  maxFailures: 5,
  active: true,
};

/** Schedules over a true database; the clock, the timer and the ends of the tasks are the test's. */
export async function openScheduleWorld(startAt = '2026-01-01T00:00:00.000Z') {
  const storage = await openStorage();
  const { database, bus, store } = storage;
  const timer = manualTimer(Date.parse(startAt));
  const runtime: Runtime = { ...systemRuntime, now: timer.now, monotonic: timer.monotonic };
  const warnings: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields) => void warnings.push(JSON.stringify(fields)),
    error: (fields) => {
      throw 'err' in fields ? fields.err : new Error(JSON.stringify(fields));
    },
  };
  for (const { userId: id, role } of [ann, ada])
    await database.write(({ db }) =>
      db
        .insertInto('users')
        .values({ id, email: id, name: id, role, onboarding_completed: 0, created_at: startAt })
        .execute(),
    );
  const { tasks, registry, environments } = await openTaskService(storage, {
    runtime,
    adapters: ['command', 'shell'].map((type) =>
      testAdapter(async () => ({ output: '' }), { type, needs: ['command'], isChosenByLabels: false }),
    ),
  });
  const notifications = new NotificationService({ ...storage, runtime });
  const join = () =>
    composeSchedules({
      ...storage,
      taskStore: store,
      execution: { environments },
      finishWatcher: new TaskFinishWatcher(bus, database, silentLog),
      tasks,
      registry,
      notifications,
      modelProviders: { addUsers: () => undefined },
      newTaskCheck: { modelWarning: async () => undefined },
      runtime,
      log,
      setTimer: timer.setTimer,
      systemZone: () => 'Europe/Berlin',
    }).services;
  let joined = join();

  const find = (id: string) =>
    database.read.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const tasksOf = (id: string) =>
    database.read
      .selectFrom('tasks')
      .select(['id', 'status', 'created_at', 'may_command', 'owner_id'])
      .where('source', '=', 'cron')
      .where('source_id', '=', id)
      .orderBy('seq')
      .execute();

  return {
    storage,
    timer,
    warnings,
    notifications,
    taskService: tasks,
    environments,
    get schedules() {
      return joined.schedules;
    },
    get scheduler() {
      return joined.scheduler;
    },
    find,
    tasksOf,
    /** When the runs of a schedule began. */
    runsOf: async (id: string) => (await tasksOf(id)).map(({ created_at }) => created_at),
    add: (change: Partial<CreateSchedule> = {}, caller: Caller = ann) =>
      joined.schedules.create(caller, { ...daily, ...change }).then(({ schedule }) => schedule),
    /** Changes a row as nothing in the product would. */
    tamper: (id: string, change: Partial<ScheduleRow>) =>
      database.write(({ db }) => db.updateTable('schedules').set(change).where('id', '=', id).execute()),
    setUser: (id: string, change: { role?: string; disabled_at?: string | null }) =>
      database.write(({ db }) => db.updateTable('users').set(change).where('id', '=', id).execute()),
    /** Lets the clock go to the next time of a schedule, without the looks between. */
    async toNext(id: string) {
      const { next_run_at } = await find(id);
      if (next_run_at === null) throw new Error(`${id} has no next time`);
      timer.setBy(Date.parse(next_run_at) - timer.now().getTime());
      await joined.scheduler.check();
    },
    /** Lets the clock go on without the looks between. */
    async leap(ms: number) {
      timer.setBy(ms);
      await joined.scheduler.check();
      await timer.settle();
    },
    /** Ends a task as a worker would; what the schedule makes of it is done when this resolves. */
    async endTask(id: string, move: 'complete' | 'fail' | 'cancel' = 'complete') {
      const now = timer.now();
      for (const step of move === 'cancel' ? [move] : (['claim', move] as const))
        await database.write(async (transaction) => {
          const head = await store.lockHead(transaction, id);
          if (!head) throw new Error(`There is no task ${id}`);
          const change = step === 'claim' ? {} : { completed_at: now.toISOString() };
          await store.move(transaction, head, step, now, change, [{ type: 'progress', message: step }]);
        });
      await timer.settle();
    },
    /** The daemon ends and starts again; `away` happens between. */
    async restart(away: () => Promise<void> | void = () => undefined) {
      await joined.scheduler.stop();
      await away();
      joined = join();
      joined.scheduler.start();
      await timer.advance(0);
    },
    async [Symbol.asyncDispose]() {
      await joined.scheduler.stop();
      await storage[Symbol.asyncDispose]();
    },
  };
}
export type ScheduleWorld = Awaited<ReturnType<typeof openScheduleWorld>>;

import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { WriteTransaction } from '../../../src/core/storage/database.ts';
import { agentFaults } from './agent-faults.ts';
import { outsideFaults } from './outside-faults.ts';
import type { PlantedFault } from './planted-fault.ts';
import { replaceMethod } from './replace-method.ts';
import { tampered } from './tampered.ts';
import { writeBeside } from './write-beside.ts';

// Loaded when a fault is planted, so that the points at which the daemon dies are in what they import.
const tasks = async () => {
  const { TaskStore } = await import('../../../src/core/tasks/task-store.ts');
  return TaskStore.prototype;
};
const groups = async () => {
  const { GroupCommit } = await import('../../../src/core/storage/sqlite/group-commit.ts');
  return GroupCommit.prototype;
};

/** Brings the row to where the mover believes it to be: a guarded move then takes whatever it finds. */
async function withoutGuard(applies: (move: string) => boolean): Promise<void> {
  replaceMethod(await tasks(), 'move', (move) => async (transaction, task, name, ...rest) => {
    const { id, status, fence } = task;
    if (applies(name))
      await transaction.db.updateTable('tasks').set({ status, fence }).where('id', '=', id).execute();
    return move(transaction, task, name, ...rest);
  });
}

/** Bugs that the rig must catch; planted into the rig's daemon by replacing parts of it. */
export const plantedFaults: Record<string, PlantedFault> = {
  ...agentFaults,
  ...outsideFaults,
  'answer-before-commit': {
    what: 'a post is answered before its commit',
    points: ['before-commit'],
    async plant() {
      const { TaskAdmission } = await import('../../../src/core/tasks/task-admission.ts');
      replaceMethod(
        await groups(),
        'run',
        (run) =>
          <T>(work: (transaction: WriteTransaction) => Promise<T>) =>
            new Promise<T>((resolve, reject) => {
              const early = async (transaction: WriteTransaction) => {
                const value = await work(transaction);
                resolve(value);
                await delay(10);
                return value;
              };
              run(early).catch(reject);
            }),
      );
      replaceMethod(TaskAdmission.prototype, 'wake', (wake) => async (task) => {
        // Late enough for the commit, so that only a crash shows the fault.
        for (const ms of [60, 400, 1500]) setTimeout(() => void wake(task), ms);
      });
    },
  },
  'no-recovery': {
    what: 'nothing is taken up at the start',
    async plant() {
      const { TaskRecovery } = await import('../../../src/core/tasks/task-recovery.ts');
      replaceMethod(TaskRecovery.prototype, 'recover', () => async () => undefined);
    },
  },
  'no-fence': {
    what: 'a late outcome does not look whether the claim is over',
    plant: () => withoutGuard((move) => move !== 'claim' && move !== 'cancel'),
  },
  'double-run': {
    what: 'the queue delivers twice and a claim does not look whether the task is taken',
    async plant() {
      const { MemoryQueue } = await import('../../../src/core/queue/memory-queue.ts');
      replaceMethod(MemoryQueue.prototype, 'start', (start) => (handle, options) => {
        const twice: typeof handle = async (...delivery) =>
          void (await Promise.all([handle(...delivery), handle(...delivery)]));
        return start(twice, options);
      });
      replaceMethod(
        await tasks(),
        'claim',
        (claim) =>
          async (transaction, id, ...rest) =>
            (await claim(transaction, id, ...rest)) ??
            transaction.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst(),
      );
    },
  },
  'lost-outcome': {
    what: 'now and then the outcome of a run is not recorded',
    async plant() {
      const { OutcomeRecorder } = await import('../../../src/core/tasks/outcome-recorder.ts');
      let runs = 0;
      replaceMethod(OutcomeRecorder.prototype, 'record', (record) => (...args) => {
        if (++runs % 10 !== 0) return record(...args);
      });
    },
  },
  'event-gaps': {
    what: 'events of a run are counted and not stored',
    async plant() {
      replaceMethod(
        await tasks(),
        'addEvents',
        (addEvents) =>
          (transaction, ...rest) =>
            addEvents(tampered(transaction, { insertLater: () => undefined }), ...rest),
      );
    },
  },
  'events-apart': {
    what: 'events are stored after the move that they tell of, not with it',
    async plant() {
      const write = await writeBeside();
      replaceMethod(await tasks(), 'move', (move) => (transaction, ...rest) => {
        const apart = tampered(transaction, {
          insertLater: (table, row) => {
            if (table !== 'task_events') return transaction.insertLater(table, row);
            setTimeout(() => void write(async (later) => later.insertLater(table, row)), 15);
          },
        });
        return move(apart, ...rest);
      });
    },
  },
  'no-dead-letter': {
    what: 'an exhausted task gets no dead letter',
    async plant() {
      const { DeadLetterStore } = await import('../../../src/core/tasks/dead-letter-store.ts');
      replaceMethod(DeadLetterStore.prototype, 'insert', () => async () => undefined);
    },
  },
  'two-notifications': {
    what: 'an exhausted task is told of twice',
    async plant() {
      const { NotificationService } = await import('../../../src/core/notifications/notification-service.ts');
      replaceMethod(NotificationService.prototype, 'add', (add) => (...args) => {
        add(...args);
        add(...args);
      });
    },
  },
  'counters-adrift': {
    what: 'a move does not take the task out of its old count',
    async plant() {
      replaceMethod(await tasks(), 'move', (move) => (transaction, ...rest) => {
        const adrift = tampered(transaction, {
          addLater: (table, key, amounts) => {
            if (!('n' in amounts) || Number(amounts.n) > 0) transaction.addLater(table, key, amounts);
          },
        });
        return move(adrift, ...rest);
      });
    },
  },
  'key-forgotten': {
    what: 'an idempotency key is not stored with its task',
    async plant() {
      const { IdempotencyStore } = await import('../../../src/core/tasks/idempotency-store.ts');
      replaceMethod(IdempotencyStore.prototype, 'insert', () => async () => undefined);
    },
  },
  'no-backoff': {
    what: 'a retry does not wait',
    async plant() {
      replaceMethod(await tasks(), 'move', (move) => (transaction, task, name, now, change, events) => {
        const hasty = name === 'postpone' ? { ...change, scheduled_for: null } : change;
        return move(transaction, task, name, now, hasty, events);
      });
    },
  },
  'endless-attempts': {
    what: 'an attempt is not counted',
    async plant() {
      replaceMethod(await tasks(), 'claim', (claim) => async (transaction, id, ...rest) => {
        const task = await claim(transaction, id, ...rest);
        if (!task) return undefined;
        await transaction.db.updateTable('tasks').set({ attempts: 1 }).where('id', '=', id).execute();
        return { ...task, attempts: 1 };
      });
    },
  },
  'poison-forgotten': {
    what: 'a task that ends its daemon is tried for ever',
    async plant() {
      replaceMethod(await tasks(), 'move', (move) => (transaction, task, name, now, change, events) => {
        const forgetful = name === 'requeue' ? { ...change, crashes: 0 } : change;
        return move(transaction, task, name, now, forgetful, events);
      });
    },
  },
  'no-watcher': {
    what: 'nothing ends the children of a daemon that was killed',
    async plant() {
      const { watchScript } = await import('../../../src/core/processes/process-group.ts');
      watchScript[1] = 'shift; exec 3<&-; exec "$@"';
    },
  },
  'no-search-for-strays': {
    what: 'the start does not look for children that left their group',
    async plant() {
      const { readdir } = fs;
      const blind = (...args: Parameters<typeof readdir>) =>
        args[0] === '/proc' ? Promise.resolve([]) : readdir(...args);
      fs.readdir = blind as unknown as typeof readdir;
      syncBuiltinESMExports();
    },
  },
};

export async function plantFault(name: string): Promise<void> {
  const fault = plantedFaults[name];
  if (!fault)
    throw new Error(`There is no fault ${name}. There are: ${Object.keys(plantedFaults).join(', ')}.`);
  await fault.plant();
}

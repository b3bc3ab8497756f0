import type { UserStore } from '../../auth/user-store.ts';
import { areAdmins } from '../../chat/runs/run-rights.ts';
import { messageOf } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { TaskHead } from '../../storage/rows/tasks.ts';
import type { PullRequestService } from './pull-request-service.ts';
import type { PullRequestStore } from './pull-request-store.ts';

export interface FollowUpPushesDeps {
  store: Pick<PullRequestStore, 'pushes'>;
  pullRequests: Pick<PullRequestService, 'push'>;
  users: UserStore;
  bus: EventBus;
  log: Pick<Log, 'warn' | 'info'>;
}

/** Pushes what follow-ups changed once they have completed, where a rule says so. */
export class FollowUpPushes {
  readonly #deps: FollowUpPushesDeps;
  readonly #pushing = new Set<Promise<void>>();
  #unsubscribe: (() => void) | undefined;
  constructor(deps: FollowUpPushesDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#unsubscribe = this.#deps.bus.onLocal('task_moved', ({ task }) => {
      // Follow-ups are of a repository; there is nothing to look up for other tasks.
      if (task.status !== 'completed' || task.repository === null) return;
      const pushing = this.#push(task).finally(() => this.#pushing.delete(pushing));
      this.#pushing.add(pushing);
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await Promise.all(this.#pushing);
  }

  async #push({ id, owner_id }: TaskHead): Promise<void> {
    const { store, pullRequests, users, log } = this.#deps;
    try {
      if (!(await store.pushes(id)) || !(await areAdmins(users, owner_id))) return;
      const { status, repository } = await pullRequests.push({ userId: owner_id, role: 'admin' }, id);
      const isWaiting = status === 'waiting_for_approval';
      const what = isWaiting ? 'a follow-up waits for an approval to be pushed' : 'a follow-up was pushed';
      log.info({ taskId: id, repository, status }, what);
    } catch (error) {
      // The task waits for `svc tasks push`.
      log.warn({ taskId: id, reason: messageOf(error) }, 'a follow-up could not be pushed');
    }
  }
}

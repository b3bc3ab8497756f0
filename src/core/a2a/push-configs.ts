import type { A2aPushConfig } from '../../contract/a2a-messages.ts';
import { A2A_LEGACY_VERSION, type A2aVersion } from '../../contract/a2a-path.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError, messageOf } from '../errors.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { Runtime } from '../runtime.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { NotifyDeliveryRow } from '../storage/rows/gateway.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { A2aError } from './a2a-error.ts';
import { sealHeaders } from './push-headers.ts';

const MAX_PER_TASK = 10;

type NewPush = Pick<
  NotifyDeliveryRow,
  | 'id'
  | 'request_id'
  | 'task_id'
  | 'token_id'
  | 'url'
  | 'created_at'
  | 'config_id'
  | 'context_id'
  | 'headers'
  | 'protocol'
>;

export interface PushConfigDeps {
  database: Database;
  taskStore: Pick<TaskStore, 'lockHead'>;
  /** Delivers a notification once the task has finished; those before that are made from it. */
  notify: { add(transaction: WriteTransaction, delivery: NewPush): void };
  outbound: Pick<Outbound, 'check'>;
  keys: Pick<KeyRing, 'box'>;
  runtime: Runtime;
}
interface Task {
  id: string;
  contextId: string;
}
interface NewConfig extends A2aPushConfig {
  id: string;
  /** The version of the protocol that its receiver speaks. */
  version: A2aVersion;
}
/** A configuration as it is answered: without its secrets. */
export interface ShownPushConfig {
  id: string;
  taskId: string;
  url: string;
}

/** Who is notified when a task of another agent waits for an approval, continues, or has finished. */
export class PushConfigs {
  readonly #deps: PushConfigDeps;
  constructor(deps: PushConfigDeps) {
    this.#deps = deps;
  }

  /** Throws where the URL must not be called; host names are resolved and checked when a request is sent. */
  check({ url }: Pick<A2aPushConfig, 'url'>): void {
    try {
      this.#deps.outbound.check(url);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new A2aError('invalidParams', undefined, [{ path: 'url', message: messageOf(error) }]);
    }
  }

  /** Stores a configuration in the transaction that creates its task. */
  add(transaction: WriteTransaction, caller: Caller, task: Task, config: NewConfig): void {
    const { notify, runtime, keys } = this.#deps;
    const { token, authentication, version } = config;
    const isLegacy = version === A2A_LEGACY_VERSION;
    const id = runtime.newId('dlv');
    const headers = {
      'content-type': isLegacy ? 'application/json' : 'application/a2a+json',
      ...(token && { 'x-a2a-notification-token': token }),
      ...(authentication && {
        authorization: `${authentication.scheme} ${authentication.credentials ?? ''}`.trimEnd(),
      }),
    };
    notify.add(transaction, {
      id,
      request_id: '',
      task_id: task.id,
      token_id: caller.token?.id ?? '',
      url: config.url,
      created_at: runtime.now().toISOString(),
      config_id: config.id,
      context_id: task.contextId,
      headers: sealHeaders(keys.box, id, headers),
      protocol: isLegacy ? version : null,
    });
  }

  /** Stores a configuration for a task that has not finished; one with the same id is replaced. */
  async create(
    caller: Caller,
    task: Task,
    config: A2aPushConfig & Pick<NewConfig, 'version'>,
  ): Promise<ShownPushConfig> {
    this.check(config);
    const { database, taskStore, runtime } = this.#deps;
    const id = config.id || runtime.newId('push');
    await database.write(async (transaction) => {
      const head = await taskStore.lockHead(transaction, task.id);
      if (!head) throw new A2aError('taskNotFound');
      if (isTerminal(head.status)) throw new A2aError('unsupportedOperation', 'The task has finished');
      const { db } = transaction;
      await db
        .deleteFrom('notify_deliveries')
        .where('task_id', '=', task.id)
        .where('config_id', '=', id)
        .execute();
      const { n } = await db
        .selectFrom('notify_deliveries')
        .where('task_id', '=', task.id)
        .where('approval_id', 'is', null)
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      if (Number(n) >= MAX_PER_TASK)
        throw new A2aError('invalidParams', `A task can have ${MAX_PER_TASK} notifications`);
      this.add(transaction, caller, task, { ...config, id });
    });
    return { id, taskId: task.id, url: config.url };
  }

  async list(taskId: string): Promise<ShownPushConfig[]> {
    const rows = await this.#deps.database.read
      .selectFrom('notify_deliveries')
      .select(['config_id', 'url'])
      .where('task_id', '=', taskId)
      .where('config_id', 'is not', null)
      .where('approval_id', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(({ config_id, url }) => ({ id: config_id ?? '', taskId, url }));
  }

  /** Removes a configuration; a notification that is on its way may still arrive. */
  async delete(taskId: string, id: string): Promise<void> {
    await this.#deps.database.write(async ({ db }) => {
      await db
        .deleteFrom('notify_deliveries')
        .where('task_id', '=', taskId)
        .where('config_id', '=', id)
        .execute();
    });
  }
}

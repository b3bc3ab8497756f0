import type { A2aArtifact, A2aParams, A2aTask, A2aUpdate } from '../../contract/a2a-messages.ts';
import type { A2aVersion } from '../../contract/a2a-path.ts';
import { titleOf } from '../../contract/task-title.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { type Caller, mayRunCommands, requireOwned } from '../auth/caller.ts';
import type { ChangeService } from '../changes/change-service.ts';
import { AppError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { GatewayRequestRow } from '../storage/rows/gateway.ts';
import { CursorCodec } from '../tasks/cursor.ts';
import type { TaskEventReader } from '../tasks/task-event-reader.ts';
import type { TaskPurpose } from '../tasks/task-purpose.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { version } from '../version.ts';
import { A2aError } from './a2a-error.ts';
import { A2aTaskStore } from './a2a-task-store.ts';
import { agentCard, TASK_SKILL } from './agent-card.ts';
import { continuing, createEither, earlierTask } from './continued-task.ts';
import { promptOfMessage } from './prompt-of-message.ts';
import { type PushConfigDeps, PushConfigs, type ShownPushConfig } from './push-configs.ts';
import { updatesOf } from './task-updates.ts';
import { type A2aTaskRow, artifactsOf, patchArtifact, toA2aTask } from './task-view.ts';

export interface A2aDeps extends PushConfigDeps {
  database: Database;
  tasks: Pick<TaskService, 'createFor' | 'cancel' | 'continued'>;
  taskEvents: Pick<TaskEventReader, 'follow'>;
  changes: Pick<ChangeService, 'ofTask'>;
  requests: { insert(transaction: WriteTransaction, request: GatewayRequestRow): void };
  registry: Pick<AgentRegistry, 'types' | 'isReady' | 'needsCommandRights' | 'list'>;
  keys: Pick<KeyRing, 'box' | 'key'>;
  runtime: Runtime;
}

interface Sending {
  /** Aborts when the client no longer waits. */
  signal: AbortSignal;
  /** The version of the protocol in which notifications are sent to it. */
  speaks: A2aVersion;
}

const PAGE = 50;
/** How long a request waits for its task; then it gets the task as it is. */
const MAX_WAIT_MS = 300_000;

/** Serves other agents (A2A): their tasks are tasks of the caller, under the rules of every other one. */
export class A2aService {
  readonly #deps: A2aDeps;
  readonly #store: A2aTaskStore;
  readonly #push: PushConfigs;
  readonly #cursors: CursorCodec;

  constructor(deps: A2aDeps) {
    this.#deps = deps;
    this.#store = new A2aTaskStore(deps.database);
    this.#push = new PushConfigs(deps);
    this.#cursors = new CursorCodec(deps.keys.key('cursors').toString('hex'));
  }

  /** The card with the agents that the caller may name. */
  async extendedCard(caller: Caller, baseUrl: string, speaks: A2aVersion): Promise<object> {
    const agents = (await this.#deps.registry.list()).filter(({ type }) => this.#mayName(caller, type));
    return agentCard({ baseUrl, version, agents, speaks });
  }

  /** Creates a task; waits until it has finished or waits for a person, unless it is not to wait. */
  async send(
    caller: Caller,
    params: A2aParams['SendMessage'],
    { signal, speaks }: Sending,
  ): Promise<A2aTask> {
    const { historyLength, returnImmediately } = params.configuration ?? {};
    const id = await this.#create(caller, params, speaks);
    if (returnImmediately !== true) await this.#untilInterrupted(caller, id, signal);
    return this.get(caller, { id, historyLength });
  }

  /** Creates a task and answers its updates, beginning with the task. */
  async sendStreaming(
    caller: Caller,
    params: A2aParams['SendMessage'],
    { signal, speaks }: Sending,
  ): Promise<AsyncGenerator<A2aUpdate>> {
    const id = await this.#create(caller, params, speaks);
    const row = await this.#find(caller, id);
    return this.#updates(caller, row, signal, params.configuration?.historyLength);
  }

  /** The updates of a task that has not finished, beginning with the task as it is. */
  async subscribe(caller: Caller, id: string, signal: AbortSignal): Promise<AsyncGenerator<A2aUpdate>> {
    const row = await this.#find(caller, id);
    if (isTerminal(row.status)) throw new A2aError('unsupportedOperation', 'The task has finished');
    return this.#updates(caller, row, signal);
  }

  async get(caller: Caller, { id, historyLength }: A2aParams['GetTask']): Promise<A2aTask> {
    const row = await this.#find(caller, id);
    const artifacts = await this.#artifactsOf(caller, row);
    return { ...toA2aTask(row, { historyLength }), ...(artifacts.length > 0 && { artifacts }) };
  }

  async list(caller: Caller, params: A2aParams['ListTasks']): Promise<object> {
    const { contextId, status, pageSize = PAGE, pageToken, historyLength, includeArtifacts = false } = params;
    const filter = {
      ownerId: caller.userId,
      contextId: contextId || undefined,
      state: status === 'TASK_STATE_UNSPECIFIED' ? undefined : status,
      since: params.statusTimestampAfter ? new Date(params.statusTimestampAfter).toISOString() : undefined,
    };
    const after = pageToken ? this.#positionOf(pageToken, filter) : undefined;
    const [rows, totalSize] = await Promise.all([
      this.#store.list(filter, { after, limit: pageSize + 1 }),
      this.#store.count(filter),
    ]);
    const page = rows.slice(0, pageSize);
    const last = rows.length > pageSize ? page.at(-1) : undefined;
    return {
      tasks: page.map((row) => toA2aTask(row, { historyLength, hasArtifacts: includeArtifacts })),
      nextPageToken: last ? this.#cursors.encode([last.updated_at, last.id], filter) : '',
      pageSize,
      totalSize,
    };
  }

  async cancel(caller: Caller, id: string): Promise<A2aTask> {
    await this.#find(caller, id);
    try {
      await this.#deps.tasks.cancel(caller, id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'wrong_state')
        throw new A2aError('taskNotCancelable', error.message);
      throw error;
    }
    return toA2aTask(await this.#find(caller, id));
  }

  async createPushConfig(
    caller: Caller,
    params: A2aParams['CreateTaskPushNotificationConfig'],
    speaks: A2aVersion,
  ): Promise<ShownPushConfig> {
    const row = await this.#find(caller, params.taskId);
    const task = { id: row.id, contextId: row.context_id };
    return this.#push.create(caller, task, { ...params, version: speaks });
  }

  /** The notification with the id; an empty one is the first, as version 0.3 asks for it. */
  async getPushConfig(
    caller: Caller,
    { taskId, id }: A2aParams['GetTaskPushNotificationConfig'],
  ): Promise<ShownPushConfig> {
    const configs = await this.listPushConfigs(caller, taskId);
    const found = id === '' ? configs[0] : configs.find((config) => config.id === id);
    if (!found) throw new A2aError('taskNotFound', 'The task has no such notification');
    return found;
  }

  async listPushConfigs(caller: Caller, taskId: string): Promise<ShownPushConfig[]> {
    return this.#push.list((await this.#find(caller, taskId)).id);
  }

  async deletePushConfig(
    caller: Caller,
    { taskId, id }: A2aParams['DeleteTaskPushNotificationConfig'],
  ): Promise<void> {
    await this.#push.delete((await this.#find(caller, taskId)).id, id);
  }

  async #create(caller: Caller, params: A2aParams['SendMessage'], speaks: A2aVersion): Promise<string> {
    const { tasks, requests, runtime } = this.#deps;
    const { message, configuration, metadata } = params;
    const prompt = promptOfMessage(message);
    if (message.taskId) await this.#refuseReply(caller, message.taskId, message.contextId);
    const assignedAgent = this.#agentOf(caller, message.metadata?.['skill'] ?? metadata?.['skill']);
    const push = configuration?.taskPushNotificationConfig;
    if (push) this.#push.check(push);
    const earlier = await earlierTask(this.#store, caller, message);
    const contextId = message.contextId || earlier?.context_id || runtime.newId('ctx');
    const plain = {
      title: titleOf(prompt) || 'A task',
      prompt,
      priority: 3,
      source: 'api' as const,
      labels: [] as string[],
      ...(assignedAgent !== undefined && { assignedAgent }),
    };
    const mayName = (type: string) => this.#mayName(caller, type);
    const continued = earlier && (await continuing({ tasks, mayName }, caller, plain, earlier));
    const purpose: TaskPurpose<string> = {
      scope: 'POST /a2a',
      key: undefined,
      body: undefined,
      attach: (transaction, { id, createdAt }) => {
        requests.insert(transaction, {
          id: runtime.newId('req'),
          task_id: id,
          owner_id: caller.userId,
          token_id: caller.token?.id ?? '',
          workflow: null,
          created_at: createdAt,
          context_id: contextId,
          message: JSON.stringify({ ...message, contextId, taskId: id }),
        });
        if (push)
          this.#push.add(
            transaction,
            caller,
            { id, contextId },
            { ...push, id: push.id || runtime.newId('push'), version: speaks },
          );
        return id;
      },
    };
    return createEither(async (input) => (await tasks.createFor(caller, input, purpose)).answer, {
      continued,
      plain,
    });
  }

  /** A task takes one message: says what is wrong with a second one. */
  async #refuseReply(caller: Caller, taskId: string, contextId: string | undefined): Promise<never> {
    const row = await this.#find(caller, taskId);
    if (contextId && contextId !== row.context_id)
      throw new A2aError('invalidParams', 'The task belongs to another context');
    throw new A2aError(
      'unsupportedOperation',
      isTerminal(row.status)
        ? 'The task has finished. Send a new message without taskId'
        : 'The task takes no further messages. Send a new one without taskId',
    );
  }

  #agentOf(caller: Caller, skill: unknown): string | undefined {
    if (skill === undefined || skill === TASK_SKILL) return undefined;
    const type = this.#deps.registry.types().find((each) => each === skill);
    if (type !== undefined && this.#mayName(caller, type)) return type;
    throw new A2aError('invalidParams', undefined, [
      { path: 'metadata.skill', message: 'There is no such skill. See the extended agent card' },
    ]);
  }

  #mayName(caller: Caller, type: string): boolean {
    const { registry } = this.#deps;
    return registry.isReady(type) && (mayRunCommands(caller) || !registry.needsCommandRights(type));
  }

  async #find(caller: Caller, id: string): Promise<A2aTaskRow> {
    return requireOwned(caller, await this.#store.find(id), 'Task');
  }

  /** The answer, and what changed in files where this daemon can read it. */
  async #artifactsOf(caller: Caller, row: A2aTaskRow): Promise<A2aArtifact[]> {
    if (row.status !== 'completed') return [];
    try {
      const { files } = await this.#deps.changes.ofTask(caller, row.id);
      return [...artifactsOf(row), ...patchArtifact(files)];
    } catch (error) {
      // The worktree is gone, or lies on the host of another daemon.
      if (error instanceof AppError) return artifactsOf(row);
      throw error;
    }
  }

  async *#updates(
    caller: Caller,
    row: A2aTaskRow,
    signal: AbortSignal,
    historyLength?: number,
  ): AsyncGenerator<A2aUpdate> {
    const { id, event_seq: after } = row;
    yield { task: toA2aTask(row, { historyLength }) };
    const events = await this.#deps.taskEvents.follow(caller, id, after, signal);
    for await (const event of events ?? [])
      yield* await updatesOf(event, row, async () => this.#artifactsOf(caller, await this.#find(caller, id)));
  }

  /** Waits for a state in which the task needs something from a person, or its end. */
  async #untilInterrupted(caller: Caller, id: string, client: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([client, AbortSignal.timeout(MAX_WAIT_MS)]);
    const row = await this.#find(caller, id);
    if (row.is_waiting === 1) return;
    for await (const update of this.#updates(caller, row, signal))
      if ('statusUpdate' in update && update.statusUpdate.status.state === 'TASK_STATE_AUTH_REQUIRED') return;
  }

  #positionOf(token: string, filter: object): { updatedAt: string; id: string } {
    const [updatedAt, id] = this.#cursors.decode(token, filter, 2);
    return { updatedAt: String(updatedAt), id: String(id) };
  }
}

import type { TaskHead } from '../storage/rows/tasks.ts';
import type { CreateTask, Task, TaskError } from '../../contract/task.ts';
import { grantOf } from '../agents/agent-grant.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { type Caller, mayRunCommands, requireCommandRights, requireOwned } from '../auth/caller.ts';
import type { Config } from '../config/config.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { AppError } from '../errors.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { isDirectory } from '../paths/is-directory.ts';
import type { Workspaces } from '../processes/workspaces.ts';
import type { Runtime } from '../runtime.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { ActiveRuns } from './active-runs.ts';
import { checkBestOf } from './check-best-of.ts';
import type { ImmediateRuns, InsertClaimed } from './immediate-runs.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import { notFinished, requireFreeSession } from './free-session.ts';
import { checkOutputSchema } from './output/output-schema.ts';
import type { NewEvent } from './new-event.ts';
import type { NewTaskCheck } from './new-task-check.ts';
import type { TaskAdmission } from './task-admission.ts';
import type { WholeTask } from './task-columns.ts';
import type { TaskPurpose } from './task-purpose.ts';
import type { TaskPlacement } from './task-placement.ts';
import type { TaskEnvironments } from './task-environments.ts';
import { type StoredTask, toTask } from './task-mapping.ts';
import { type PlainTask, rowOfInput, rowOfRetry } from './task-rows.ts';
import { allows, isTerminal, retriable } from './task-states.ts';
import type { TaskStore } from './task-store.ts';

export interface TaskServiceDeps {
  database: Database;
  store: TaskStore;
  idempotency: IdempotencyStore;
  admission: TaskAdmission;
  registry: Pick<AgentRegistry, 'usesCommands' | 'limitProblem' | 'isProgram'>;
  environments: TaskEnvironments;
  workspaces: Pick<Workspaces, 'idOf'>;
  placement: Pick<TaskPlacement, 'hasHost'>;
  daemon: Pick<DaemonIdentity, 'host'>;
  check: Pick<NewTaskCheck, 'warningsOf'>;
  queue: TaskQueue;
  immediate: ImmediateRuns;
  runs: ActiveRuns;
  config: Config;
  telemetry?: Telemetry | undefined;
  runtime: Runtime;
}

/** Creates tasks and moves them on behalf of a caller. */
export class TaskService {
  readonly #deps: TaskServiceDeps;
  constructor(deps: TaskServiceDeps) {
    this.#deps = deps;
  }

  /** Stores the task and queues it where an agent fits; the same key with the same body gives the first task again. */
  async create(
    caller: Caller,
    input: CreateTask,
  ): Promise<{ task: Task; isReplay: boolean; warnings: string[] }> {
    const { idempotencyKey: key, ...body } = await this.continued(caller, input);
    let warnings: string[] = [];
    const { answer, isReplay } = await this.createFor<Task & { warnings?: string[] }>(caller, body, {
      scope: 'POST /api/tasks',
      key,
      body: key === undefined ? body : this.#deps.environments.comparable(body),
      before: async (row) => {
        warnings = await this.#deps.check.warningsOf(row, body);
      },
      // The same key gets the same answer again.
      isIndependent: key === undefined,
      attach: (_, task) => (key === undefined || warnings.length === 0 ? task : { ...task, warnings }),
    });
    if (key === undefined) return { task: answer, isReplay, warnings };
    const { warnings: answered = [], ...task } = answer;
    return { task, isReplay, warnings: answered };
  }

  /** Creates a task for another resource, whose own rows and answer are as durable and as single as the task. */
  async createFor<T>(
    caller: Caller,
    input: PlainTask,
    purpose: TaskPurpose<T>,
  ): Promise<{ answer: T; isReplay: boolean }> {
    const { idempotency, config, registry, environments, store } = this.#deps;
    const {
      scope,
      key,
      body,
      before,
      instead,
      attach,
      environment,
      isText = false,
      isTrusted = true,
      grant,
      isVerifyVouched = false,
    } = purpose;
    const hasVariables = environment !== undefined && environment.env !== null;
    if (hasVariables || (!grant && registry.usesCommands(input))) requireCommandRights(caller);
    requireTrustToVerify(input.verify !== undefined, isTrusted || isVerifyVouched);
    checkBestOf(registry, input);
    const limitProblem = registry.limitProblem(input);
    if (input.worktree === true && input.cwd === undefined) throw invalidWorktree();
    if (limitProblem !== undefined) throw new AppError('validation', limitProblem);
    if (input.outputSchema) await checkOutputSchema(input.outputSchema);
    const request = key === undefined ? undefined : { ownerId: caller.userId, scope, key, body };
    const row = rowOfInput(input, {
      ...this.#newborn(),
      owner_id: caller.userId,
      max_attempts: input.maxAttempts ?? config.get('queue.retry.attempts'),
      retry_on_failure: (input.retryOnFailure ?? input.maxAttempts !== undefined) ? 1 : 0,
      attached: input.attached ? 1 : 0,
      ...(environment ?? environments.columnsOf(input.env, caller.userId)),
      may_command: !isText && mayRunCommands(caller) ? 1 : 0,
      is_trusted: isTrusted ? 1 : 0,
      interactive: purpose.isInteractive ? 1 : 0,
      held: purpose.hold === undefined ? 0 : 1,
      agent_rule: grant ? JSON.stringify(grant) : null,
      scheduled_for: purpose.notBefore?.toISOString() ?? null,
      idempotency_key: key ?? null,
      token_id: caller.token?.id ?? null,
      parent_id: purpose.parentId ?? null,
      home: await this.#homeOf(input, purpose.parentId),
    });
    const isKnown =
      before && request && (await idempotency.find(this.#deps.database.read, request)) !== undefined;
    if (!isKnown) await before?.(row);
    let outcome: { answer: T; isReplay: boolean } | undefined;
    const guard = async (transaction: WriteTransaction, task: Task) => {
      // First of all, so that the key of a request that was faster is found.
      if (row.continues !== null) await store.lockHead(transaction, row.continues);
      const first =
        (request && ((await idempotency.find(transaction.db, request)) as T | undefined)) ??
        (await instead?.(transaction));
      if (first === undefined && row.continues !== null)
        await requireFreeSession(store, transaction, row.continues);
      outcome =
        first === undefined
          ? { answer: await attach(transaction, task), isReplay: false }
          : { answer: first, isReplay: true };
      if (request && !outcome.isReplay)
        await idempotency.insert(transaction, request, outcome.answer, row.created_at);
      return !outcome.isReplay;
    };
    await this.#insert(row, {
      guard,
      hold: purpose.hold,
      isIndependent: purpose.isIndependent && row.continues === null,
    });
    if (!outcome) throw new Error('The task was inserted without its answer');
    return outcome;
  }

  /**
   * What a task says that continues another one, with what it takes over from that. Whether the session is free is decided
   * when the task is stored.
   */
  async continued(caller: Caller, input: CreateTask): Promise<CreateTask> {
    if (input.continues === undefined) return input;
    const { store, registry } = this.#deps;
    const named = await this.#owned(caller, input.continues);
    const chosen = toTask(named).choice?.candidateId;
    const earlier = chosen === undefined ? named : await this.#owned(caller, chosen);
    if (!isTerminal(earlier.status)) throw notFinished(earlier);
    const agent = earlier.agent_type ?? earlier.assigned_agent ?? undefined;
    if (agent === undefined || !registry.isProgram(agent)) throw invalid('continues', keepsNoSession(agent));
    if (input.assignedAgent !== undefined && input.assignedAgent !== agent)
      throw invalid(
        'continues',
        `The session belongs to the agent "${agent}", so ${input.assignedAgent} cannot continue it`,
      );
    const session = await store.findSession(earlier.id, agent);
    if (!session) throw invalid('continues', `The task has no session: ${agent} did not start one`);
    const cwd = input.cwd ?? earlier.cwd ?? session.cwd;
    const host = earlier.home ?? session.host;
    const isHere = host === '' || host === this.#deps.daemon.host;
    if (isHere && !(await isDirectory(cwd)) && !(await this.#wasEmpty(cwd)))
      throw invalid('continues', `The directory of the session is gone: ${cwd}`);
    return { ...input, continues: earlier.id, assignedAgent: agent, cwd };
  }

  /** Whether it is the directory of a task of which nothing was left: then it is created again. */
  async #wasEmpty(cwd: string): Promise<boolean> {
    const { workspaces, store } = this.#deps;
    const id = await workspaces.idOf(cwd);
    return id !== undefined && (await store.findHead(id)) !== undefined;
  }

  /** The host where the task that it continues worked, or the one whose candidate it is. */
  async #homeOf(
    { continues, assignedAgent }: PlainTask,
    parentId: string | undefined,
  ): Promise<string | null> {
    const { store } = this.#deps;
    const id = continues ?? parentId;
    const home = id === undefined ? null : (await store.findHead(id))?.home;
    if (home || continues === undefined) return home ?? null;
    const session = await store.findSession(continues, assignedAgent ?? '');
    return session?.host || null;
  }

  async get(caller: Caller, id: string): Promise<Task> {
    return toTask(await this.#owned(caller, id));
  }

  /** Cancels an unfinished task; a run in progress is stopped and can no longer record anything. */
  async cancel(caller: Caller, id: string): Promise<Task> {
    const { database, store, queue } = this.#deps;
    await database.write(async (transaction) => {
      const head = requireOwned(caller, await store.lockHead(transaction, id), 'Task');
      if (!allows('cancel', head.status))
        throw new AppError('wrong_state', `A task that is ${head.status} cannot be cancelled`);
      await this.cancelWith(transaction, head, 'Cancelled');
    });
    await queue.remove(id);
    return this.get(caller, id);
  }

  /** Cancels an unfinished task, locked, together with another change; its id may still be in the queue, which is harmless. */
  async cancelWith(transaction: WriteTransaction, head: TaskHead, message: string): Promise<void> {
    const { store, runs, runtime } = this.#deps;
    const now = runtime.now();
    const change = {
      completed_at: now.toISOString(),
      lease_owner: null,
      lease_until: null,
      scheduled_for: null,
    };
    const moved = await store.move(transaction, head, 'cancel', now, change, [
      { type: 'cancelled', message, data: { from: head.status } },
    ]);
    if (!moved) throw new AppError('unavailable', 'The task moved at the same moment. Try again.');
    transaction.afterCommit(() => runs.stop(head.id, 'cancelled'));
    if (head.best_of !== null)
      for (const candidate of await store.openCandidates(head.id, transaction))
        await this.cancelWith(transaction, candidate, 'Cancelled with the task of which it is a candidate');
  }

  /** Creates a new task with the same parameters; the old one stays as it is. */
  async retry(caller: Caller, id: string): Promise<Task> {
    const old = await this.#owned(caller, id);
    if (!retriable.includes(old.status))
      throw new AppError('wrong_state', `A task that is ${old.status} cannot be retried`);
    if (old.verify !== null) requireCommandRights(caller);
    // The commands of a follow-up are those of the task that it follows.
    const isVouched = old.is_trusted === 1 || grantOf(old)?.kind === 'follow_up';
    requireTrustToVerify(old.verify !== null, isVouched || (await this.#deps.store.isFollowUp(id)));
    const row = rowOfRetry(old, {
      ...this.#newborn(),
      may_command: old.may_command === 1 && mayRunCommands(caller) ? 1 : 0,
      retried_from: old.id,
      ...(this.#hasLostHome(old) && { home: null }),
    });
    const { continues } = row;
    if (continues === null) return this.#insert(row, { isIndependent: true });
    const guard: InsertGuard = async (transaction) => {
      await requireFreeSession(this.#deps.store, transaction, continues);
      return true;
    };
    return this.#insert(row, { guard });
  }

  /** Lets an imported task or a follow-up run. Who releases a follow-up vouches for its text. */
  async release(caller: Caller, id: string): Promise<Task> {
    const { database, store, admission } = this.#deps;
    const head = requireOwned(caller, await store.findHead(id), 'Task');
    if (head.status !== 'pending' || head.held !== 1)
      throw new AppError('wrong_state', `Only a task on hold can be released; this one is ${head.status}`);
    const vouched = (await store.isFollowUp(id)) ? { may_command: 1, is_trusted: 1 } : {};
    if ('may_command' in vouched) requireCommandRights(caller);
    await database.write(async (transaction) => {
      const changed = await transaction.db
        .updateTable('tasks')
        .set({ held: 0, ...vouched })
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .where('held', '=', 1)
        .returning('continues')
        .executeTakeFirst();
      if (!changed) throw new AppError('wrong_state', 'The task is released already');
      // An export can hold several tasks that continue the same one.
      if (changed.continues !== null) await requireFreeSession(store, transaction, changed.continues, id);
      await caller.auditEntry?.append(transaction);
    });
    await admission.admit({ ...head, held: 0, ...vouched });
    return this.get(caller, id);
  }

  /**
   * Inserts the task together with its admission. The answer is the task as it is born, `pending`; by the time it
   * arrives, the queue has usually moved it on.
   */
  async #insert(
    row: WholeTask,
    { guard = async () => true, hold, isIndependent = false }: InsertOptions = {},
  ): Promise<Task> {
    const { database, store, admission, immediate } = this.#deps;
    const { fits, event } =
      hold === undefined
        ? admission.decide(row)
        : { fits: false, event: { type: 'waiting_for_agent' as const, message: hold } };
    const born = toTask(row);
    const stored: WholeTask = fits ? { ...row, status: 'queued' } : row;
    const events: NewEvent[] = [{ type: 'created', message: 'Created', data: { source: row.source } }, event];
    const options = { independent: isIndependent };
    const insertClaimed: InsertClaimed = (claim, onInsert) =>
      database.write(async (transaction) => {
        if (!(await guard(transaction, born))) return false;
        onInsert(
          transaction,
          await store.insertClaimed(transaction, stored, claim.change, [...events, claim.event]),
        );
        return true;
      }, options);
    // A person waits for it, so it does not wait for a claim of its own.
    const started = fits && row.interactive === 1 ? immediate.start(stored, insertClaimed) : undefined;
    if (started) {
      await started;
      return born;
    }
    const isInserted = await database.write(async (transaction) => {
      if (!(await guard(transaction, born))) return false;
      await store.insert(transaction, stored, events);
      return true;
    }, options);
    if (isInserted && fits) await admission.wake(stored);
    return born;
  }

  #newborn() {
    const { runtime, telemetry } = this.#deps;
    const at = runtime.now().toISOString();
    const trace_context = telemetry?.newTask() ?? null;
    return { id: runtime.newId('task'), created_at: at, updated_at: at, trace_context };
  }

  /** Where its host is still gone, a retry starts over on another. */
  #hasLostHome({ home, error }: StoredTask): boolean {
    const isGone = error !== null && (JSON.parse(error) as TaskError).class === 'host_gone';
    return isGone && home !== null && !this.#deps.placement.hasHost(home);
  }

  async #owned(caller: Caller, id: string): Promise<StoredTask> {
    return requireOwned(caller, await this.#deps.store.find(id), 'Task');
  }
}

interface InsertOptions {
  guard?: InsertGuard;
  hold?: string | undefined;
  isIndependent?: boolean | undefined;
}

type InsertGuard = (transaction: WriteTransaction, task: Task) => Promise<boolean>;

const invalid = (path: string, message: string) =>
  new AppError('validation', message, { details: [{ path, message }] });

const invalidWorktree = () => invalid('worktree', 'A worktree needs `cwd`, a directory in a Git repository');

const keepsNoSession = (agent: string | undefined) =>
  agent === undefined
    ? 'No agent has worked on this task, so it cannot be continued'
    : `The agent "${agent}" keeps no session, so its task cannot be continued`;

/** Commands that verify a task never come from untrusted input. */
function requireTrustToVerify(hasVerification: boolean, isTrusted: boolean): void {
  if (hasVerification && !isTrusted)
    throw new AppError('forbidden', 'A task from an untrusted source cannot name commands that verify it');
}

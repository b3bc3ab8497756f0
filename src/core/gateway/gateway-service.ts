import type {
  GatewayAccepted,
  GatewayFinished,
  GatewayRequest,
  GatewayStatus,
} from '../../contract/gateway.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { type Caller, mayRunCommands, requireOwned } from '../auth/caller.ts';
import { AppError, messageOf } from '../errors.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { Runtime } from '../runtime.ts';
import type { NewTaskCheck } from '../tasks/new-task-check.ts';
import type { TaskEnvironments } from '../tasks/task-environments.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { outcomeOf } from './gateway-answers.ts';
import type { GatewayRequestStore } from './gateway-request-store.ts';
import type { NotifyDeliverer } from './notify-deliverer.ts';
import type { QueueOutlook } from './queue-outlook.ts';
import type { RunProgress } from './run-progress.ts';
import type { RunTimeEstimates } from './run-time-estimates.ts';
import type { TaskWaits } from './task-waits.ts';
import { applyWorkflow, hasInstructions } from './workflows.ts';

const MAX_WAIT_MS = 300_000;

export interface GatewayServiceDeps {
  tasks: TaskService;
  check: Pick<NewTaskCheck, 'modelWarning'>;
  registry: Pick<AgentRegistry, 'needsCommandRights'>;
  environments: Pick<TaskEnvironments, 'comparable'>;
  taskStore: TaskStore;
  requests: GatewayRequestStore;
  notify: NotifyDeliverer;
  outlook: QueueOutlook;
  estimates: RunTimeEstimates;
  progress: RunProgress;
  waits: TaskWaits;
  outbound: Pick<Outbound, 'check'>;
  runtime: Runtime;
}
export interface SubmitContext {
  idempotencyKey: string | undefined;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Aborts when the client has disconnected. */
  signal: AbortSignal;
}
export type Submitted = { isReplay: boolean } & (
  | { accepted: GatewayAccepted }
  | { finished: GatewayFinished }
);

/** Accepts tasks from programs with an API token and reports their progress. */
export class GatewayService {
  readonly #deps: GatewayServiceDeps;
  constructor(deps: GatewayServiceDeps) {
    this.#deps = deps;
  }

  /** Queues the task, once per idempotency key; a synchronous request then waits until it finishes or times out. */
  async submit(caller: Caller, request: GatewayRequest, context: SubmitContext): Promise<Submitted> {
    const { options } = request;
    const { answer: accepted, isReplay } = await this.#create(caller, request, context);
    if (!options.synchronous) return { accepted, isReplay };
    const limit = Math.min(options.timeout ?? MAX_WAIT_MS, MAX_WAIT_MS);
    const task = await this.#deps.waits.forEnd(accepted.taskId, limit, context.signal);
    if (!task) return { accepted, isReplay };
    const { requestId, taskId } = accepted;
    return { finished: { requestId, taskId, status: task.status, ...outcomeOf(task) }, isReplay };
  }

  async status(caller: Caller, requestId: string): Promise<GatewayStatus> {
    const { requests, taskStore } = this.#deps;
    const request = requireOwned(caller, await requests.find(requestId), 'Request');
    const task = await taskStore.find(request.task_id);
    if (!task) throw new AppError('not_found', 'Request not found');
    return {
      requestId,
      taskId: task.id,
      status: task.status,
      ...outcomeOf(task),
      ...(await this.#outlookOf(task)),
      ...(task.started_at !== null && { startedAt: task.started_at }),
      updatedAt: task.updated_at,
    };
  }

  async #outlookOf(task: StoredTask): Promise<Pick<GatewayStatus, 'progress' | 'estimatedWait'>> {
    const { outlook, estimates, progress, runtime } = this.#deps;
    const average = await estimates.average();
    const isWaiting = task.status === 'pending' || task.status === 'queued';
    return {
      progress: progress.of(task, { now: runtime.now(), average }),
      ...(isWaiting && { estimatedWait: await outlook.waitOf(task) }),
    };
  }

  async #create(caller: Caller, request: GatewayRequest, { idempotencyKey, baseUrl }: SubmitContext) {
    const { tasks, check, registry, environments, requests, notify, outlook, progress, runtime } = this.#deps;
    const { token } = caller;
    if (!token) throw new AppError('forbidden', 'The gateway takes API tokens only');
    const { task, workflow, options } = request;
    const { idempotencyKey: keyOfTask, ...plainTask } = task;
    const key = idempotencyKey ?? request.idempotencyKey ?? keyOfTask;
    const { notifyUrl } = options;
    if (notifyUrl !== undefined) this.#checkNotifyUrl(notifyUrl);
    const input = {
      ...applyWorkflow(plainTask, workflow, registry),
      ...(key !== undefined && { idempotencyKey: key }),
    };
    const isText = hasInstructions(workflow);
    progress.listen();
    const estimatedWait = await outlook.waitOfNew({
      priority: input.priority,
      assigned_agent: input.assignedAgent ?? null,
      labels: JSON.stringify(input.labels ?? []),
      may_command: !isText && mayRunCommands(caller) ? 1 : 0,
      agent_rule: null,
      best_of: input.bestOf ? JSON.stringify(input.bestOf) : null,
      interactive: 0,
      suspect: 0,
    });
    const requestId = runtime.newId('req');
    const statusUrl = `${baseUrl}/api/gateway/${requestId}/status`;
    return tasks.createFor<GatewayAccepted>(caller, input, {
      scope: 'POST /api/gateway',
      key,
      body: { task: key === undefined ? plainTask : environments.comparable(plainTask), workflow, options },
      isText,
      before: async () => {
        await check.modelWarning(plainTask);
      },
      attach: (transaction, { id: taskId, status, createdAt: created_at }) => {
        const ids = { task_id: taskId, token_id: token.id, created_at };
        requests.insert(transaction, {
          ...ids,
          id: requestId,
          owner_id: caller.userId,
          workflow: workflow ?? null,
          context_id: null,
          message: null,
        });
        if (notifyUrl !== undefined)
          notify.add(transaction, {
            ...ids,
            id: runtime.newId('dlv'),
            request_id: requestId,
            url: notifyUrl,
          });
        return { requestId, taskId, status, estimatedWait, statusUrl };
      },
    });
  }

  /** Host names are resolved and checked when a request is sent. */
  #checkNotifyUrl(url: string): void {
    try {
      this.#deps.outbound.check(url);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const details = [{ path: 'options.notifyUrl', message: messageOf(error) }];
      throw new AppError('validation', 'Validation failed', { details, cause: error });
    }
  }
}

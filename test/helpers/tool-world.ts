import { EventEmitter, once } from 'node:events';
import type { Approval } from '../../src/contract/approvals.ts';
import type { LiveMessage } from '../../src/contract/live.ts';
import type { QueueStatus } from '../../src/contract/queue.ts';
import type { Guard } from '../../src/contract/guards.ts';
import type { Policy } from '../../src/contract/policy.ts';
import type { CreateTask, Task, TaskEvent } from '../../src/contract/task.ts';
import type { ToolInfo, ToolServer } from '../../src/contract/tools.ts';
import { type Answers, Refusal } from './contract-server.ts';

const id = (kind: string, n: number) => `${kind}_01a1fc43-0e60-790c-9e24-${String(n).padStart(12, '0')}`;

/** Tools, what guards them, and a task whose agent uses them, as far as a client sees it. */
export class ToolWorld {
  policy: Policy = {
    defaultMode: 'ask',
    allowedTools: ['read_file'],
    blockedTools: [],
    requireApprovalFor: ['run_command'],
    auditAll: true,
  };
  guards: Guard[] = [
    { name: 'path-traversal', enabled: true, description: 'Keeps tools inside the workspace' },
    { name: 'rate-limit', enabled: true, description: 'Limits how often a tool is called' },
  ];
  tools: ToolInfo[] = [];
  servers: ToolServer[] = [];
  approvals: Approval[] = [];
  readonly tasks: Task[] = [];
  readonly events: TaskEvent[] = [];
  /** Where messages of the live feed go. */
  onMessage: (message: LiveMessage) => void = () => undefined;
  readonly #changed = new EventEmitter();

  /** A call of a tool that waits; the newest is the last one. */
  ask(call: Partial<Approval> = {}): Approval {
    const now = Date.now();
    const approval: Approval = {
      id: id('appr', this.approvals.length + 1),
      status: 'pending',
      toolName: 'run_command',
      params: { command: 'npm test' },
      cwd: '/srv/app',
      securityLevel: 'high',
      reason: 'npm runs other programs',
      requestedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 600_000).toISOString(),
      ...call,
    };
    this.approvals.push(approval);
    this.onMessage({ type: 'approval', at: approval.requestedAt, approval });
    return approval;
  }

  /** The same from the task, with its event. */
  askInTask(call: Partial<Approval> = {}): Approval {
    const approval = this.ask({ taskId: this.tasks[0]?.id ?? '', ...call });
    const { id: approvalId, toolName, params, cwd, reason, expiresAt } = approval;
    const carried = { type: 'approval:requested', toolCallId: 'call_1', approval };
    const data = { ...carried, approvalId, toolName, params, cwd, reason, expiresAt };
    this.tell('approval_requested', `Approval needed: ${toolName}`, data as unknown as TaskEvent['data']);
    return approval;
  }

  /** What each decision was for, in order. */
  readonly coverages: string[] = [];
  /** The arguments that decisions put in place of those of the model, and their reasons. */
  readonly edits: Approval['params'][] = [];
  readonly reasons: string[] = [];

  decide(approvalId: string, decision: NonNullable<Approval['decision']>): Approval {
    const at = this.approvals.findIndex((each) => each.id === approvalId);
    const found = this.approvals[at];
    if (!found) throw new Refusal(404, 'Approval not found');
    if (found.status !== 'pending') throw new Refusal(400, `The approval is already ${found.status}`);
    const status = decision === 'deny' ? 'denied' : 'approved';
    const decided: Approval = { ...found, status, decision, decidedAt: new Date().toISOString() };
    this.approvals[at] = decided;
    this.onMessage({ type: 'approval', at: new Date().toISOString(), approval: decided });
    const carried = { type: 'approval:decided', toolCallId: 'call_1', approval: decided };
    const data = { ...carried, approvalId, decision } as unknown as TaskEvent['data'];
    if (found.taskId !== undefined) this.tell('approval_decided', `Decided: ${decision}`, data);
    this.#changed.emit(`decided ${approvalId}`, decided);
    return decided;
  }

  /** Resolves once the approval is decided; call before it can be. */
  async decided(approval: Approval): Promise<Approval> {
    const [decided] = (await once(this.#changed, `decided ${approval.id}`)) as [Approval];
    return decided;
  }

  /** Resolves with the task once it is created. */
  async created(): Promise<Task> {
    const [task] = (await once(this.#changed, 'created')) as [Task];
    return task;
  }

  tell(type: TaskEvent['type'], message: string, data: TaskEvent['data'] = {}): void {
    const seq = this.events.length + 1;
    const at = new Date().toISOString();
    const event = { seq, id: id('evt', seq), type, at, message, data };
    this.events.push(event);
    this.#changed.emit('event');
    const [task] = this.tasks;
    if (task) this.onMessage({ type: 'task', at, task, event });
  }

  /** A step of the builtin agent. */
  step(type: string, message: string, data: TaskEvent['data'] = {}): void {
    this.tell('progress', message, { type, ...data });
  }

  end(change: Partial<Task>): void {
    const [task] = this.tasks;
    if (!task) throw new Error('There is no task');
    this.tasks[0] = { ...task, ...change, completedAt: new Date().toISOString() };
    this.tell(change.status === 'completed' ? 'completed' : 'failed', change.error?.message ?? 'Completed');
  }

  /** The answer of the agent, and the end. */
  answer(output: string, more: Partial<NonNullable<Task['result']>> = {}): void {
    this.tell('output', output, { type: 'text:delta', step: 1, delta: output, stream: 'text' });
    this.end({ status: 'completed', result: { success: true, output, artifacts: [], duration: 5, ...more } });
  }

  async *#follow(after: number): AsyncGenerator<TaskEvent> {
    for (let at = after; ; at += 1) {
      while (at >= this.events.length) {
        if (this.tasks[0]?.completedAt !== undefined) return;
        await once(this.#changed, 'event');
      }
      const event = this.events[at];
      if (event) yield event;
    }
  }

  #create(given: Partial<CreateTask>): Task {
    const now = new Date().toISOString();
    const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const task: Task = {
      title: '',
      priority: 3,
      source: 'api',
      labels: [],
      ...known,
      id: id('task', this.tasks.length + 1),
      status: 'in_progress',
      attempts: 1,
      maxAttempts: 3,
      createdAt: now,
      updatedAt: now,
      startedAt: now,
    };
    this.tasks.unshift(task);
    this.#changed.emit('created', task);
    return task;
  }

  #approval(approvalId: string): Approval {
    const approval = this.approvals.find((each) => each.id === approvalId);
    if (!approval) throw new Refusal(404, 'Approval not found');
    return approval;
  }

  #task(taskId: string): Task {
    const task = this.tasks.find((each) => each.id === taskId);
    if (!task) throw new Refusal(404, 'Task not found');
    return task;
  }

  answers(): Answers {
    return {
      policy: {
        get: () => this.policy,
        update: ({ body }) => (this.policy = { ...this.policy, ...(body as Partial<Policy>) }),
      },
      guards: {
        list: () => ({ guards: this.guards }),
        update: ({ params, body }) => {
          this.guards = this.guards.map((guard) =>
            guard.name === params.name ? { ...guard, ...body } : guard,
          );
          const guard = this.guards.find(({ name }) => name === params.name);
          if (!guard) throw new Refusal(404, 'Guard not found');
          return { guard };
        },
      },
      approvals: {
        list: ({ query }) => ({
          approvals: (query.status === 'pending'
            ? this.approvals.filter(({ status }) => status === 'pending')
            : this.approvals.toReversed()
          ).filter(({ taskId = '' }) => taskId === (query.taskId ?? taskId)),
        }),
        get: ({ params }) => ({ approval: this.#approval(params.id) }),
        preview: ({ params, body }) => {
          if (body.arguments['command'] === 'refused') throw new Refusal(400, 'The arguments are not valid');
          return { approval: { ...this.#approval(params.id), params: body.arguments } };
        },
        decide: ({ params, body }) => {
          this.coverages.push(body.covers);
          if (body.arguments) this.edits.push(body.arguments);
          if (body.denialReason !== undefined) this.reasons.push(body.denialReason);
          return { approval: this.decide(params.id, body.decision) };
        },
      },
      tools: {
        list: () => {
          const { length } = this.tools;
          return { tools: this.tools, servers: this.servers, total: length, limit: length, offset: 0 };
        },
      },
      agents: { listTypes: () => ({ types: ['builtin', 'command'] }) },
      queue: { getStatus: () => this.queue },
      tasks: {
        create: ({ body }) => ({ message: 'Task created', task: this.#create(body) }),
        get: ({ params }) => ({ task: this.#task(params.id) }),
        list: ({ query }) => {
          const tasks = this.tasks.filter(({ status }) => (query.status ?? status) === status);
          return { tasks, count: tasks.length, total: tasks.length, limit: query.limit };
        },
        filter: ({ query }) => {
          const tasks = this.tasks.filter(({ status }) => query.status?.includes(status) ?? true);
          return { tasks, total: tasks.length, limit: query.limit, offset: 0 };
        },
        cancel: ({ params }) => {
          const task = { ...this.#task(params.id), status: 'cancelled' as const };
          this.tasks[this.tasks.findIndex((each) => each.id === params.id)] = {
            ...task,
            completedAt: new Date().toISOString(),
          };
          this.tell('cancelled', 'Cancelled');
          return { message: 'Cancelled', task };
        },
        retry: ({ params }) => {
          const { title } = this.#task(params.id);
          const task = this.#create({ title });
          return { message: 'Task created', task, originalTaskId: params.id };
        },
        listEvents: ({ headers }) => this.#follow(Number(headers['last-event-id'] ?? 0)),
      },
    };
  }

  queue: QueueStatus = {
    mode: 'memory',
    paused: false,
    queues: { tasks: { pending: 0, queued: 2, inProgress: 1, completed: 3, failed: 1 } },
    workers: { tasks: { running: true, concurrency: 10 }, notifications: { running: true, concurrency: 1 } },
    pools: [],
    limits: { agingMs: 30_000 },
    deadLetterQueue: { pending: 1, resolved: 0, discarded: 0, total: 1 },
  };
}

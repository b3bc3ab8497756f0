import type { TaskEvent, TaskResult } from '../../contract/task.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { type Caller, mayRunCommands } from '../auth/caller.ts';
import { BudgetReached } from '../budgets/budget-reached.ts';
import { AppError } from '../errors.ts';
import type { AnswerEnd } from '../providers/answer-end.ts';
import type { WholeAnswer } from '../providers/model-calls.ts';
import type { CallRequest } from '../providers/model-request.ts';
import type { AnswerPart } from '../providers/resolved-model.ts';
import { toTokenUsage } from '../providers/token-usage.ts';
import type { TaskEventReader } from '../tasks/task-event-reader.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { AgentAnswerFailed } from './agent-answer-failed.ts';
import { toAgentPrompt } from './agent-prompt.ts';
import { requestRefused } from './request-refused.ts';
import type { OpenAnswer } from './routed-calls.ts';
import { mayUseModel, requireModel } from './token-models.ts';

const PREFIX = 'agent/';
const TITLE_LENGTH = 80;
/** Stands between what an agent says in one step and in the next. */
const GAP = '\n\n';

export interface AgentModelsDeps {
  registry: Pick<AgentRegistry, 'types' | 'needsCommandRights' | 'isProgram'>;
  tasks: Pick<TaskService, 'createFor' | 'cancel' | 'get'>;
  taskEvents: Pick<TaskEventReader, 'follow'>;
  reportBug: (error: unknown) => void;
}

/** Agents as models: each answer is a task, which is cancelled when the caller leaves before its end. */
export class AgentModels {
  readonly #deps: AgentModelsDeps;
  constructor(deps: AgentModelsDeps) {
    this.#deps = deps;
  }

  /** The names of the agents that the caller may run. */
  names(caller: Caller): string[] {
    const { registry } = this.#deps;
    if (!mayCreateTasks(caller)) return [];
    return registry
      .types()
      .filter((type) => mayRunCommands(caller) || !registry.needsCommandRights(type))
      .map((type) => `${PREFIX}${type}`)
      .filter((name) => mayUseModel(caller, name));
  }

  isAgent(name: string): boolean {
    return name.startsWith(PREFIX);
  }

  /** The result of the task; what the agent said on its way is left out. */
  async answer(
    caller: Caller,
    name: string,
    request: CallRequest,
    signal: AbortSignal,
  ): Promise<WholeAnswer> {
    const id = await this.#createTask(caller, name, request);
    const parts = this.#parts(caller, id, signal);
    let next = await parts.next();
    while (!next.done) next = await parts.next();
    return { content: [{ type: 'text', text: next.value.output }], ...next.value.end };
  }

  /** Resolves once the task is stored. */
  async open(caller: Caller, name: string, request: CallRequest, signal: AbortSignal): Promise<OpenAnswer> {
    const id = await this.#createTask(caller, name, request);
    return { model: name, parts: this.#streamed(caller, id, signal) };
  }

  async *#streamed(
    caller: Caller,
    id: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly AnswerPart[], AnswerEnd> {
    return (yield* this.#parts(caller, id, signal)).end;
  }

  async #createTask(caller: Caller, name: string, request: CallRequest): Promise<string> {
    const { registry, tasks } = this.#deps;
    const type = name.slice(PREFIX.length);
    if (!mayCreateTasks(caller))
      throw new AppError(
        'forbidden',
        `To run ${name}, the token needs the scope tasks:write or gateway:write`,
      );
    requireModel(caller, name);
    if (!registry.types().includes(type)) {
      const message = `There is no agent "${type.slice(0, 50)}". There are: ${registry.types().join(', ')}`;
      throw new AppError('not_found', message, { details: [{ path: 'model', message }] });
    }
    if (request.tools) throw requestRefused('tools', 'Agents use their own tools; leave tools out');
    const { last, whole, isAlone } = toAgentPrompt(request);
    // What runs its prompt as a command takes no conversation.
    if (!isAlone && registry.needsCommandRights(type) && !registry.isProgram(type))
      throw requestRefused('messages', `${name} takes one message of the user and nothing else`);
    const format = request.responseFormat;
    const schema = format?.type === 'json' ? (format.schema ?? { type: 'object' }) : undefined;
    const { answer } = await tasks.createFor(
      caller,
      {
        title: last.trim().replaceAll(/\s+/g, ' ').slice(0, TITLE_LENGTH) || name,
        prompt: whole,
        assignedAgent: type,
        priority: 3,
        source: 'api',
        labels: [],
        attached: true,
        ...(schema && { outputSchema: schema as Record<string, never> }),
      },
      {
        scope: 'POST /v1',
        key: undefined,
        body: undefined,
        isIndependent: true,
        attach: (_, task) => task.id,
      },
    );
    return answer;
  }

  /** What the agent says, and the result of its task. */
  async *#parts(
    caller: Caller,
    id: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly AnswerPart[], { output: string; end: AnswerEnd }> {
    const { tasks, taskEvents } = this.#deps;
    const said = new SaidTexts();
    try {
      for await (const event of (await taskEvents.follow(caller, id, 0, signal)) ?? []) {
        if (event.type === 'waiting_for_agent') throw new AgentAnswerFailed(event.message);
        const delta = said.take(event);
        if (delta !== '') yield [textPart(delta)];
      }
      const { status, result, error } = await tasks.get(caller, id);
      if (status === 'completed' && result) {
        if (said.isEmpty && result.output !== '') yield [textPart(result.output)];
        return { output: result.output, end: endOf(result) };
      }
      if (error?.class === 'budget') throw new BudgetReached(error.message, undefined);
      throw new AgentAnswerFailed(error?.message ?? `The task was ${status}`);
    } finally {
      await this.#cancelUnfinished(caller, id).catch(this.#deps.reportBug);
    }
  }

  async #cancelUnfinished(caller: Caller, id: string): Promise<void> {
    const { tasks } = this.#deps;
    try {
      if (!isTerminal((await tasks.get(caller, id)).status)) await tasks.cancel(caller, id);
    } catch (error) {
      // It finished at the same moment, or was deleted.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

const mayCreateTasks = ({ token }: Caller): boolean =>
  !token || token.scopes.includes('tasks:write') || token.scopes.includes('gateway:write');

const textPart = (delta: string): AnswerPart => ({ type: 'text-delta', id: '0', delta });

/** What an agent says: the texts of its events, with a gap between steps and between attempts. */
class SaidTexts {
  isEmpty = true;
  #step: unknown;

  take({ type, message, data }: TaskEvent): string {
    if (type === 'started') this.#step = undefined;
    if (type !== 'output' || data['stream'] !== 'text' || message === '') return '';
    const isNewStep = !this.isEmpty && data['step'] !== this.#step;
    this.#step = data['step'];
    this.isEmpty = false;
    return isNewStep ? `${GAP}${message}` : message;
  }
}

function endOf({ usage }: TaskResult): AnswerEnd {
  return {
    finishReason: 'stop',
    usage: toTokenUsage(usage),
    cached: {},
    reasoningTokens: undefined,
    costUsd: undefined,
  };
}

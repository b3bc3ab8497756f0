import type { TaskResult } from '../../contract/task.ts';
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
import type { TaskOutputReader } from '../tasks/task-output-reader.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { Utf8Pieces } from '../text/utf8-pieces.ts';
import { AgentAnswerFailed } from './agent-answer-failed.ts';
import { toAgentPrompt } from './agent-prompt.ts';
import { requestRefused } from './request-refused.ts';
import type { OpenAnswer } from './routed-calls.ts';
import { SaidTexts } from './said-texts.ts';
import { mayUseModel, requireModel } from './token-models.ts';

const PREFIX = 'agent/';
const TITLE_LENGTH = 80;

export interface AgentModelsDeps {
  registry: Pick<AgentRegistry, 'types' | 'needsCommandRights' | 'isProgram'>;
  tasks: Pick<TaskService, 'createFor' | 'cancel' | 'get'>;
  taskEvents: Pick<TaskEventReader, 'follow'>;
  taskOutputReader: Pick<TaskOutputReader, 'follow'>;
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
    const result = next.value;
    return { content: [{ type: 'text', text: result.output }], ...this.#endOf(name, result) };
  }

  /** Resolves once the task is stored. */
  async open(caller: Caller, name: string, request: CallRequest, signal: AbortSignal): Promise<OpenAnswer> {
    const id = await this.#createTask(caller, name, request);
    return { model: name, parts: this.#streamed(caller, name, id, signal) };
  }

  async *#streamed(
    caller: Caller,
    name: string,
    id: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly AnswerPart[], AnswerEnd> {
    return this.#endOf(name, yield* this.#parts(caller, id, signal));
  }

  async #createTask(caller: Caller, name: string, request: CallRequest): Promise<string> {
    const { registry, tasks } = this.#deps;
    const type = typeOf(name);
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
    if (!isAlone && this.#isCommand(type))
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

  /** What the agent says, or what its command prints, and the result of its task. */
  async *#parts(
    caller: Caller,
    id: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly AnswerPart[], TaskResult> {
    const { tasks, taskEvents } = this.#deps;
    const said = new SaidTexts();
    try {
      for await (const event of (await taskEvents.follow(caller, id, 0, signal)) ?? []) {
        if (event.type === 'waiting_for_agent') throw new AgentAnswerFailed(event.message);
        const delta = said.take(event);
        if (delta !== '') yield [textPart(delta)];
        if (said.cutAt !== undefined) yield* this.#printed(caller, id, said, signal);
      }
      const { status, result, error } = await tasks.get(caller, id);
      if (status === 'completed' && result) {
        if (said.isEmpty && result.output !== '') yield [textPart(result.output)];
        return result;
      }
      if (error?.class === 'budget') throw new BudgetReached(error.message, undefined);
      throw new AgentAnswerFailed(error?.message ?? `The task was ${status}`);
    } finally {
      await this.#cancelUnfinished(caller, id).catch(this.#deps.reportBug);
    }
  }

  /** What the command prints after what events keep, until the attempt ends. */
  async *#printed(
    caller: Caller,
    id: string,
    said: SaidTexts,
    signal: AbortSignal,
  ): AsyncGenerator<readonly AnswerPart[], void> {
    const { cutAt: offset = 0 } = said;
    const decoder = new Utf8Pieces();
    const stream = 'stdout' as const;
    for await (const bytes of await this.#deps.taskOutputReader.follow(
      caller,
      id,
      { stream, offset },
      signal,
    )) {
      const { text } = decoder.push(bytes);
      if (text !== '') yield [textPart(text)];
    }
    const { text } = decoder.end();
    if (text !== '') yield [textPart(text)];
  }

  /** Whether the agent runs its prompt as a command, which cannot be a conversation and uses no model. */
  #isCommand(type: string): boolean {
    const { registry } = this.#deps;
    return registry.needsCommandRights(type) && !registry.isProgram(type);
  }

  #endOf(name: string, { usage }: TaskResult): AnswerEnd {
    const unused = this.#isCommand(typeOf(name)) ? noTokens : undefined;
    return {
      finishReason: 'stop',
      usage: toTokenUsage(usage ?? unused),
      cached: {},
      reasoningTokens: undefined,
      costUsd: undefined,
    };
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

const typeOf = (name: string) => name.slice(PREFIX.length);
const noTokens = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

const mayCreateTasks = ({ token }: Caller): boolean =>
  !token || token.scopes.includes('tasks:write') || token.scopes.includes('gateway:write');

const textPart = (delta: string): AnswerPart => ({ type: 'text-delta', id: '0', delta });

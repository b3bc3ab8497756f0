import { setTimeout as delay } from 'node:timers/promises';
import type { Approval } from '../../../contract/approvals.ts';
import type { Effort, RunEventInput } from '../../../contract/run-events.ts';
import type { ApprovalService } from '../../approvals/approval-service.ts';
import type { ToolGate, ToolResult, ToolRun } from '../../tools/tool-gate.ts';
import { isTransient } from '../../tasks/retry-policy.ts';
import { type ModelSteps, type OfferedTool, type StepEnd, StepFailed } from '../../providers/model-steps.ts';
import type { ChatBudgets } from '../../budgets/chat-budgets.ts';
import type { UsageLedger } from '../../usage/usage-ledger.ts';
import type { Compactor } from '../compactor.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import { estimateTokens } from '../../text/token-estimate.ts';
import { isCallTainted, type RanCall } from './taint.ts';
import { sizeOfMessages, sizeOfTools } from './prompt-size.ts';
import { addCost, reserveTokens } from './run-budget.ts';
import { addRefusal, dropRefusal } from './refused-calls.ts';
import { RunFailure, throwAsRunFailure } from './run-failure.ts';
import type { LoopEnd, RunRules } from './run-policy.ts';
import { type OpenCall, resultMessage, type RunState, usedTokens } from './run-state.ts';
import { withoutToolParts } from '../history/tool-free.ts';
import { maskValue } from '../../tools/mask-secrets.ts';
import { type Telemetry, traced } from '../../telemetry/telemetry.ts';
import { StepTrace } from './step-trace.ts';

const MAX_RETRIES = 2;
const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

export interface LoopOrder extends RunRules {
  model: ResolvedModel;
  instructions: string;
  tools: readonly OfferedTool[];
  run: ToolRun;
  state: RunState;
  isStreamed: boolean;
  showsThinking: boolean;
  temperature?: number | undefined;
  effort?: Effort | undefined;
  emit: (event: RunEventInput) => void;
  /** Learns the real paths that a call named. */
  touch?: (paths: readonly string[]) => Promise<void>;
  /** Saves the state of the run. */
  save?: (state: RunState) => Promise<void>;
  /** Whether the state is saved when the run is done, too. */
  savesEnd?: boolean;
  /** Takes the text of the current step as it grows, to be saved now and then. */
  savePartial?: (text: string) => void;
}

export interface ToolLoopDeps {
  steps: ModelSteps;
  gate: ToolGate;
  approvals: ApprovalService;
  compactor: Pick<Compactor, 'fitRun'>;
  telemetry?: Telemetry | undefined;
  usage: Pick<UsageLedger, 'record'>;
  chatBudgets: Pick<ChatBudgets, 'pass'>;
  /** Whether a call may be repeated when the outcome of the first is unknown. */
  isRepeatable: (toolName: string) => Promise<boolean>;
  /** Delay before the first retry of a step, 1 s by default; it doubles with each retry. */
  retryMs?: number;
}

/**
 * Runs the steps of a model until it answers: its calls go through the gate, and their results go into the next step.
 * Everything that has to survive a restart is in the state.
 */
export class ToolLoop {
  readonly #deps: ToolLoopDeps;
  constructor(deps: ToolLoopDeps) {
    this.#deps = deps;
  }

  /** Throws a `RunFailure`, or an `AppError` of the storage; an aborted run rejects with the error of its current operation. */
  async run(order: LoopOrder): Promise<LoopEnd> {
    const trace = new StepTrace(this.#deps.telemetry);
    try {
      return await this.#run(order, trace);
    } catch (error) {
      trace.end(error instanceof RunFailure ? error.code.toLowerCase() : 'Error');
      throw error;
    } finally {
      trace.end();
    }
  }

  async #run(order: LoopOrder, trace: StepTrace): Promise<LoopEnd> {
    const { state, endsWithAnswer, save, savesEnd = true } = order;
    const maxSteps = order.limits.steps;
    // The daemon stopped after the answer was saved.
    if (isAnswered(state)) return { kind: 'done' };
    for (;;) {
      if (state.open.length > 0) {
        const approvals = await trace.within(() => this.#runOpen(order));
        if (approvals.length > 0) return { kind: 'waiting', approvals };
        this.#emitStepComplete(order);
      }
      if (state.step >= maxSteps)
        throw new RunFailure(
          'budget',
          'MAX_STEPS',
          `The run did not finish within ${maxSteps} ${maxSteps === 1 ? 'step' : 'steps'}`,
        );
      trace.begin(state.step + 1);
      const end = await trace.within(() => this.#step(order));
      const isLast = endsWithAnswer && state.step >= maxSteps;
      if (end.calls.length === 0 || isLast) {
        if (isLast && order.tools.length > 0) state.finishReason = 'max_round_trips';
        this.#emitStepComplete(order);
        if (savesEnd) await save?.(state);
        return { kind: 'done' };
      }
      state.stepCalls = end.calls.length;
      state.open = end.calls.map(({ id, name, args }) => ({ id, name, args }));
      for (const { id, name, args } of state.open)
        order.emit({ type: 'tool:call', data: { toolCallId: id, name, arguments: jsonOf(maskValue(args)) } });
      await save?.(state);
    }
  }

  async #step(order: LoopOrder): Promise<StepEnd> {
    const { state, emit } = order;
    const { steps: maxSteps, tokens: maxBudget } = order.limits;
    await this.#passBudgets(order);
    await this.#compact(order);
    const maxTokens = reserveTokens({ ...order, price: order.model.price });
    state.step++;
    state.stepCalls = 0;
    emit({
      type: 'step:start',
      data: { step: state.step, maxSteps, usedTokens: usedTokens(state), maxBudget },
    });
    const estimated = sizeOfMessages(state.messages) + estimateTokens(order.instructions);
    const end = await this.#callWithRetries(order, maxTokens);
    this.#recordEstimate(order, addUsage(order, end, estimated));
    return end;
  }

  /** A task looks at its budgets as a whole. */
  async #passBudgets({ model, run: { id, context }, emit }: LoopOrder): Promise<void> {
    const { taskId, conversationId, userId, signal } = context;
    if (!model.usedBy || taskId !== undefined || conversationId === undefined) return;
    const turn = { runId: id, conversationId, ownerId: userId, signal, emit };
    await this.#deps.chatBudgets.pass(model.usedBy, turn).catch(throwAsRunFailure);
  }

  /** The call itself is in the ledger already. */
  #recordEstimate({ model }: LoopOrder, estimate: { inputTokens: number; outputTokens: number }): void {
    if (!model.usedBy || estimate.inputTokens + estimate.outputTokens <= 0) return;
    const { usedBy, provider, modelId } = model;
    this.#deps.usage.record({ usedBy, provider, model: modelId, ...estimate, calls: 0, costUsd: undefined });
  }

  async #compact({ state, model, instructions, tools, run, emit }: LoopOrder): Promise<void> {
    const others = estimateTokens(instructions) + sizeOfTools(tools);
    const fitting = await this.#deps.compactor.fitRun(model, state, others, run.context.signal);
    if (fitting.messages === state.messages) return;
    const tokensBefore = sizeOfMessages(state.messages);
    emit({ type: 'compaction', data: { tokensBefore, tokensAfter: sizeOfMessages(fitting.messages) } });
    state.messages = fitting.messages;
    state.request = fitting.request;
    delete state.lastPrompt;
  }

  async #callWithRetries(order: LoopOrder, maxTokens: number | undefined): Promise<StepEnd> {
    const { signal } = order.run.context;
    for (let attempt = 0; ; attempt++) {
      const progress = { hasOutput: false };
      try {
        return await this.#callModel(order, maxTokens, progress);
      } catch (error) {
        if (!(error instanceof StepFailed)) throw error;
        const { class: kind, code, message, retryAfterMs } = error.failure;
        const { retryMs = RETRY_MS } = this.#deps;
        const wait = Math.max(retryAfterMs ?? 0, retryMs * 2 ** attempt);
        const mayRetry = order.retries && isTransient(kind) && attempt < MAX_RETRIES && wait <= MAX_RETRY_MS;
        // Output that the client received cannot be withdrawn.
        if (progress.hasOutput || !mayRetry)
          throw new RunFailure(kind, code.toUpperCase(), message, retryAfterMs);
        await delay(wait, undefined, { signal });
      }
    }
  }

  async #callModel(
    order: LoopOrder,
    maxTokens: number | undefined,
    progress: { hasOutput: boolean },
  ): Promise<StepEnd> {
    const { model, instructions, tools, state, run, emit, showsThinking } = order;
    const { isStreamed, temperature, effort, endsWithAnswer, limits } = order;
    const { step } = state;
    const mayCall = !(endsWithAnswer && step >= limits.steps);
    const request = {
      instructions,
      messages: tools.length > 0 ? state.messages : withoutEarlierCalls(state),
      tools,
      mayCall,
      isStreamed,
      temperature,
      effort,
    };
    const parts = this.#deps.steps.take(model, { ...request, maxTokens }, run.context.signal);
    let thoughts = '';
    state.partial = '';
    for (let next = await parts.next(); ; next = await parts.next()) {
      if (next.done) return next.value;
      progress.hasOutput = true;
      const part = next.value;
      if (part.type === 'text') {
        state.partial += part.text;
        order.savePartial?.(state.partial);
        emit({ type: 'text:delta', data: { step, delta: part.text } });
      } else if (showsThinking) {
        if (part.type === 'thinking-start') {
          thoughts = '';
          emit({ type: 'thinking:start', data: { step, text: '' } });
        } else if (part.type === 'thinking') {
          thoughts += part.text;
          emit({ type: 'thinking:update', data: { step, text: part.text } });
        } else emit({ type: 'thinking:end', data: { step, text: thoughts } });
      }
    }
  }

  /** Runs the calls of the last step in order; returns the approvals that are still pending. */
  async #runOpen(order: LoopOrder): Promise<Approval[]> {
    const { state, run, emit, save } = order;
    const { signal } = run.context;
    const waiting: Approval[] = [];
    const { open } = state;
    for (const call of open) {
      signal.throwIfAborted();
      const answer = await this.#runCall(order, call);
      if ('waiting' in answer) {
        waiting.push(answer.waiting);
        continue;
      }
      const { success, content, refused } = answer.result;
      if (refused) addRefusal(state, call, content);
      else if (success) dropRefusal(state, call);
      if (isCallTainted(call.name, answer)) state.isTainted = true;
      if (success) await order.touch?.(answer.paths ?? []);
      state.open = state.open.filter((each) => each !== call);
      state.calls.push({
        name: call.name,
        arguments: jsonOf(call.args),
        result: content,
        status: success ? 'success' : 'error',
      });
      const lastStep = state.steps?.at(-1);
      if (lastStep) lastStep.calls++;
      state.messages.push(resultMessage(call, content));
      emit({
        type: 'tool:result',
        data: { toolCallId: call.id, result: { success, content, ...(refused && { refused }) } },
      });
      // A call that a stop interrupted stays started: the resumed run sees its outcome as unknown.
      if (success || !signal.aborted) await save?.(state);
    }
    if (waiting.length > 0) await save?.(state);
    return waiting;
  }

  async #runCall(order: LoopOrder, call: OpenCall): Promise<RanCall | { waiting: Approval }> {
    const { run, state, emit, onApproval, save, whileWaiting = atOnce } = order;
    const { gate, approvals, isRepeatable, telemetry } = this.#deps;
    if (call.isBegun && !(await isRepeatable(call.name))) return { result: unknownOutcome };
    for (;;) {
      call.isBegun = true;
      await save?.(state);
      const answer = await gate.call(run, call);
      if (answer.kind === 'done') return answer;
      const { approval } = answer;
      call.isBegun = false;
      const isNew = call.approvalId !== approval.id;
      call.approvalId = approval.id;
      if (isNew) emit({ type: 'approval:requested', data: { toolCallId: call.id, approval } });
      if (onApproval === 'return') return { waiting: approval };
      await save?.(state);
      const decide = async () => {
        const decided = approvals.show(await approvals.waitForDecision(approval.id, run.context.signal));
        emit({ type: 'approval:decided', data: { toolCallId: call.id, approval: decided } });
      };
      const attributes = { 'gen_ai.tool.name': approval.toolName, 'gen_ai.tool.call.id': call.id };
      await traced(
        telemetry,
        'approval',
        () => ({ attributes }),
        () => whileWaiting(decide),
      );
    }
  }

  #emitStepComplete({ state, emit }: LoopOrder): void {
    const { step, finishReason, stepCalls } = state;
    emit({
      type: 'step:complete',
      data: { step, usedTokens: usedTokens(state), toolCalls: stepCalls, finishReason },
    });
  }
}

const atOnce = <T>(decision: () => Promise<T>): Promise<T> => decision();

/** Calls are followed by their results, so a final message of the model is an answer. */
const isAnswered = ({ step, open, messages }: RunState): boolean =>
  step > 0 && open.length === 0 && messages.at(-1)?.role === 'assistant';

const unknownOutcome: ToolResult = {
  success: false,
  content:
    'The daemon stopped while this call ran. Whether it took effect is not known: check before you repeat it.',
};

/** Vendors refuse the calls of earlier turns in a request without tools. */
function withoutEarlierCalls({ messages, request = 0 }: RunState): RunState['messages'] {
  return [...withoutToolParts(messages.slice(0, request)), ...messages.slice(request)];
}

/**
 * Adds the usage of the step; what the vendor did not count is estimated, so that the budget still holds. Answers how many
 * tokens are estimates.
 */
function addUsage(
  { state, model: { price } }: LoopOrder,
  end: StepEnd,
  estimated: number,
): { inputTokens: number; outputTokens: number } {
  const { promptTokens, completionTokens } = end.usage;
  const isEstimated = promptTokens === undefined || completionTokens === undefined;
  if (isEstimated) state.isCounted = false;
  if (promptTokens !== undefined) state.lastPrompt = { counted: promptTokens, estimated };
  const prompt = promptTokens ?? estimated;
  const answer = completionTokens ?? sizeOfMessages(end.messages);
  state.inputTokens += prompt;
  state.outputTokens += answer;
  addCost(state, { reported: end.costUsd, price, prompt, answer, cached: end.cached, isEstimated });
  state.finishReason = end.finishReason;
  if (end.text.trim() !== '') state.text = end.text;
  delete state.partial;
  state.steps?.push({ text: end.text, calls: 0 });
  state.messages.push(...end.messages);
  return { inputTokens: prompt - (promptTokens ?? 0), outputTokens: answer - (completionTokens ?? 0) };
}

/** Arguments that are not JSON, such as a truncated text, are stored as text. */
const jsonOf = (value: unknown) => (value === undefined ? null : value) as ToolCallArguments;
type ToolCallArguments = RunState['calls'][number]['arguments'];

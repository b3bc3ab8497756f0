import type { RunEventInput } from '../../contract/run-events.ts';
import type { AgentCall, AgentUsage, CallDiff, CallKind, PlanEntry } from '../agents/drivers/driver.ts';
import { shownArguments } from './shown-arguments.ts';
import { maskValue } from '../tools/mask-secrets.ts';
import { ToolFailure, type ToolOutput } from '../tools/tool.ts';

/** Characters of a text of a change that an event carries. */
const MAX_DIFF = 16_384;
const isOver = ({ status }: AgentCall) =>
  status === 'completed' || status === 'failed' || status === 'declined';

type CallArguments = Extract<RunEventInput, { type: 'tool:call' }>['data']['arguments'];

/** Publishes what an agent does as the events of a run, and knows its calls. */
export class RunReporter {
  usage: AgentUsage = {};
  steps = 0;
  text = '';
  readonly #sink: (event: RunEventInput) => void;
  readonly #workspace: () => string;
  readonly #asksFor: readonly CallKind[];
  readonly #calls = new Map<string, AgentCall>();
  readonly #announced = new Set<string>();
  readonly #reported = new Set<string>();
  readonly #ends = new Map<string, (call: AgentCall) => void>();
  readonly #allowed = new Set<string>();
  readonly #refused = new Set<string>();
  /** The calls since the agent has last said something. */
  readonly #awaited = new Set<string>();
  #thoughts: string | undefined;

  /** `asksFor` are the kinds of calls that the agent never makes unasked. */
  constructor(
    sink: (event: RunEventInput) => void,
    workspace: () => string,
    asksFor: readonly CallKind[] = [],
  ) {
    this.#sink = sink;
    this.#workspace = workspace;
    this.#asksFor = asksFor;
  }

  /**
   * Whether a call runs that has not reported its end: where the agent has said something since, it waits for none. A call
   * that it has to ask for runs once it is allowed, so that a question that was lost is silence.
   */
  get isCalling(): boolean {
    return [...this.#awaited].some((id) => {
      const call = this.#calls.get(id);
      if (call === undefined || isOver(call) || this.#refused.has(id)) return false;
      return this.#allowed.has(id) || !this.#asksFor.includes(call.kind);
    });
  }

  addText(delta: string): void {
    this.#awaited.clear();
    this.#endThought();
    this.text += delta;
    this.#sink({ type: 'text:delta', data: { step: this.#step, delta } });
  }

  addThought(text: string): void {
    this.#awaited.clear();
    if (this.#thoughts === undefined)
      this.#sink({ type: 'thinking:start', data: { step: this.#step, text: '' } });
    this.#thoughts = (this.#thoughts ?? '') + text;
    this.#sink({ type: 'thinking:update', data: { step: this.#step, text } });
  }

  setPlan(entries: PlanEntry[]): void {
    this.#sink({
      type: 'plan',
      data: { entries: entries.map(({ text, status }) => ({ text, status: inSnakeCase(status) })) },
    });
  }

  setUsage(usage: AgentUsage): void {
    this.usage = { ...this.usage, ...usage };
    const { inputTokens, outputTokens, cachedInputTokens, costUsd } = this.usage;
    this.#sink({
      type: 'usage',
      data: {
        ...(inputTokens !== undefined && { input: inputTokens }),
        ...(outputTokens !== undefined && { output: outputTokens }),
        ...(cachedInputTokens !== undefined && { cached: cachedInputTokens }),
        ...(costUsd !== undefined && costUsd > 0 && { costUsd }),
      },
    });
  }

  /** Takes each change of a call; `name` is what people know its tool by. */
  addCall(call: AgentCall, name: string): void {
    this.#calls.set(call.id, call);
    const isKnown = call.status !== 'pending' || call.input !== undefined;
    if (isKnown) this.announce(call, name);
    if (!isOver(call) || this.#reported.has(call.id)) return;
    this.#reported.add(call.id);
    this.#ends.get(call.id)?.(call);
    const content = outputOf(call);
    this.#sink({
      type: 'tool:result',
      data: {
        toolCallId: call.id,
        result: {
          success: call.status === 'completed' && (call.exitCode ?? 0) === 0,
          content,
          ...(this.#refused.has(call.id) && { refused: true }),
        },
        ...(call.diff && call.diff.length > 0 && { diff: call.diff.map(shortDiff) }),
      },
    });
  }

  /** Publishes a call once; some agents announce one only by asking for it. */
  announce(call: AgentCall, name: string): void {
    if (this.#announced.has(call.id)) return;
    this.#calls.set(call.id, call);
    this.#announced.add(call.id);
    this.#awaited.add(call.id);
    this.#endThought();
    const args = shownArguments(call.input ?? { call: call.title }, this.#workspace());
    this.#sink({
      type: 'tool:call',
      data: { toolCallId: call.id, name, arguments: maskValue(args) as CallArguments },
    });
  }

  /** The call was not allowed to run. */
  refuse(callId: string): void {
    this.#refused.add(callId);
  }

  /** Takes a call that was allowed; resolves with what it reports at its end, and throws a `ToolFailure` if it failed. */
  async endOf(callId: string, signal: AbortSignal): Promise<ToolOutput> {
    this.#allowed.add(callId);
    const known = this.#calls.get(callId);
    const call = known && isOver(known) ? known : await this.#nextEnd(callId, signal);
    const content = outputOf(call);
    if (call.status === 'completed') return { content, origin: 'The agent' };
    throw new ToolFailure(content === '' ? 'The call failed' : content);
  }

  /** Ends what is open; call it once, at the end of the run. */
  finish(): void {
    this.#endThought();
  }

  get #step(): number {
    return Math.max(1, this.steps);
  }

  #nextEnd(callId: string, signal: AbortSignal): Promise<AgentCall> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      this.#ends.set(callId, resolve);
    });
  }

  #endThought(): void {
    if (this.#thoughts === undefined) return;
    this.#sink({ type: 'thinking:end', data: { step: this.#step, text: this.#thoughts } });
    this.#thoughts = undefined;
  }
}

/** Agents write `inProgress` and `in_progress`. */
const inSnakeCase = (status: string) => status.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function outputOf({ output = '', exitCode, status }: AgentCall): string {
  if (exitCode !== undefined && exitCode !== 0) return `Exit code ${exitCode}\n${output}`.trim();
  return output === '' && status === 'declined' ? 'Not allowed' : output;
}

function shortDiff({ path, oldText, newText, diff }: CallDiff) {
  const cut = (text: string) => (text.length > MAX_DIFF ? `${text.slice(0, MAX_DIFF)}…` : text);
  return {
    path,
    ...(oldText !== undefined && { oldText: cut(oldText) }),
    ...(newText !== undefined && { newText: cut(newText) }),
    ...(diff !== undefined && { diff: cut(diff) }),
  };
}

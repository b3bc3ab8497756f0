import type { RunEventInput } from '../../../contract/run-events.ts';
import { newRunState, type RunState } from '../../chat/runs/run-state.ts';

type Arguments = RunState['calls'][number]['arguments'];

/** Keeps what an agent does in a turn as the state of a run, of which its answer is stored. */
export class TurnRecord {
  readonly state: RunState = newRunState([]);

  /** Takes an event; answers whether the state is worth to be saved. */
  add({ type, data }: RunEventInput): boolean {
    const { state } = this;
    if (type === 'text:delta') state.partial = (state.partial ?? '') + data.delta;
    if (type === 'usage') this.#setUsage(data);
    if (type === 'tool:call') {
      this.#endStep();
      state.open.push({ id: data.toolCallId, name: data.name, args: data.arguments, isBegun: true });
    }
    if (type === 'approval:requested') this.#setBegun(data.toolCallId, false);
    if (type === 'approval:decided') this.#setBegun(data.toolCallId, data.approval.status === 'approved');
    if (type === 'tool:result') this.#close(data.toolCallId, data.result);
    return type === 'tool:call' || type === 'tool:result';
  }

  /** Ends a turn that is complete; `text` is its answer where none was streamed. */
  finish(text: string): void {
    const { state } = this;
    if (state.partial?.trim()) {
      state.text = state.partial;
      state.steps?.push({ text: state.partial, calls: 0 });
    }
    if (state.text === '') state.text = text;
    delete state.partial;
    state.finishReason = 'stop';
  }

  /** A call ends what was said before it. */
  #endStep(): void {
    const { state } = this;
    const { partial = '', steps = [] } = state;
    if (partial.trim() === '' && steps.length > 0) return;
    if (partial.trim() !== '') state.text = partial;
    steps.push({ text: partial, calls: 0 });
    delete state.partial;
  }

  /** What an agent does not count is unknown, not 0. */
  #setUsage({ input, output, costUsd }: Extract<RunEventInput, { type: 'usage' }>['data']): void {
    if (input !== undefined && output !== undefined)
      Object.assign(this.state, { step: 1, inputTokens: input, outputTokens: output });
    if (costUsd !== undefined) this.state.costUsd = costUsd;
  }

  #setBegun(callId: string, isBegun: boolean): void {
    const call = this.state.open.find(({ id }) => id === callId);
    if (call) call.isBegun = isBegun;
  }

  #close(callId: string, { success, content }: { success: boolean; content: string }): void {
    const { state } = this;
    const call = state.open.find(({ id }) => id === callId);
    if (!call) return;
    state.open = state.open.filter((each) => each !== call);
    state.calls.push({
      name: call.name,
      arguments: (call.args ?? null) as Arguments,
      result: content,
      status: success ? 'success' : 'error',
    });
    const step = state.steps?.at(-1);
    if (step) step.calls++;
  }
}

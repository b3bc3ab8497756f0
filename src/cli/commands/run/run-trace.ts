import type { TaskEvent } from '../../../contract/task.ts';
import { runEventOf } from '../../../contract/task-run-events.ts';
import { lineText } from '../../tui/parts/line.ts';
import { followingText, reduceRun } from '../../tui/parts/reduce-run.ts';
import { renderPlan } from '../../tui/parts/render-plan.ts';
import { renderToolCall } from '../../tui/parts/render-tool-call.ts';
import type { ToolEntry } from '../../tui/parts/run-entry.ts';
import { emptyRun, type RunState } from '../../tui/parts/run-state.ts';
import { writtenFile } from '../../tui/parts/written-file.ts';

/** Follows what the model of a task does, for the lines that stay on the screen. */
export class RunTrace {
  #run: RunState = emptyRun;
  #steps = 0;
  /** Whether the agent is a program of its own, whose steps are not counted. */
  #isProgram = false;
  #plan = '';

  /** The lines that the event adds. */
  add(event: TaskEvent, width: number): string[] {
    const carried = runEventOf(event);
    // Text is shown elsewhere and need not be kept.
    if (!carried || carried.type === 'text:delta') return [];
    this.#run = reduceRun(this.#run, [carried]);
    if (carried.type === 'session:start') {
      const following = followingText(carried.data.instructionFiles);
      return following === undefined ? [] : [following];
    }
    if (carried.type === 'agent:start') {
      this.#steps = Math.max(1, this.#steps);
      this.#isProgram = true;
      return [];
    }
    if (carried.type === 'plan') return this.#planLines(width);
    if (carried.type === 'step:start') {
      // A step that is tried again after an outage keeps its number.
      const { step } = carried.data;
      if (step === this.#steps) return [];
      this.#steps = step;
      return step === 1 ? [] : [`Step ${step}`];
    }
    if (carried.type !== 'tool:result') return [];
    const call = this.#calls().findLast(({ callId }) => callId === carried.data.toolCallId);
    return call ? renderToolCall(call, width, false).map(lineText) : [];
  }

  /** The lines of the calls without a result. */
  running(width: number): string[] {
    return this.#calls()
      .filter(({ state }) => state === 'running' || state === 'asking')
      .flatMap((call) => renderToolCall(call, width, false).map(lineText));
  }

  /** What the run came to, such as `3 steps · 5 tool calls · 2 files changed · 8,412 tokens`; empty without a model. */
  get summary(): string {
    if (this.#steps === 0) return '';
    const calls = this.#calls();
    const files = this.changedFiles;
    const { usedTokens } = this.#run;
    return [
      ...(this.#isProgram ? [] : [counted(this.#steps, 'step')]),
      ...(calls.length > 0 ? [counted(calls.length, 'tool call')] : []),
      ...(files > 0 ? [`${counted(files, 'file')} changed`] : []),
      ...(usedTokens === undefined ? [] : [counted(usedTokens, 'token')]),
    ].join(' · ');
  }

  /** The number of files that its tools changed. */
  get changedFiles(): number {
    return new Set(
      this.#calls()
        .filter(({ state }) => state === 'ok')
        .flatMap((call) => writtenFile(call) ?? []),
    ).size;
  }

  /** A plan that changed. */
  #planLines(width: number): string[] {
    const plan = this.#run.entries.findLast((entry) => entry.kind === 'plan');
    if (!plan) return [];
    const lines = renderPlan(plan, width).map(lineText);
    const text = lines.join('\n');
    if (text === this.#plan) return [];
    this.#plan = text;
    return lines;
  }

  #calls(): ToolEntry[] {
    return this.#run.entries.filter((entry) => entry.kind === 'tool');
  }
}

const counted = (n: number, noun: string) => `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;

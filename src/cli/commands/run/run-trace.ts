import type { TaskEvent } from '../../../contract/task.ts';
import { runEventOf } from '../../../contract/task-run-events.ts';
import { lineText } from '../../tui/parts/line.ts';
import { followingText, reduceRun } from '../../tui/parts/reduce-run.ts';
import { renderToolCall } from '../../tui/parts/render-tool-call.ts';
import type { ToolEntry } from '../../tui/parts/run-entry.ts';
import { emptyRun, type RunState } from '../../tui/parts/run-state.ts';
import { writtenFile } from '../../tui/parts/written-file.ts';

/** Follows what the model of a task does, for the lines that stay on the screen. */
export class RunTrace {
  #run: RunState = emptyRun;
  #steps = 0;

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
      counted(this.#steps, 'step'),
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

  #calls(): ToolEntry[] {
    return this.#run.entries.filter((entry) => entry.kind === 'tool');
  }
}

const counted = (n: number, noun: string) => `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;

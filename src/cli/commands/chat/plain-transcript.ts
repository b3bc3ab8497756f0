import type { RunEvent } from '../../../contract/run-events.ts';
import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Output } from '../../output/output.ts';
import { renderToolCall } from '../../tui/parts/render-tool-call.ts';
import { lineText } from '../../tui/parts/line.ts';
import { reduceRun } from '../../tui/parts/reduce-run.ts';
import { emptyRun, type RunState } from '../../tui/parts/run-state.ts';

/** Writes an answer as it streams; tool calls and other steps go to stderr, one line each. */
export class PlainTranscript {
  readonly #output: Output;
  readonly #isAnswerShown: boolean;
  #run: RunState = emptyRun;
  #written = '';
  #isTextOpen = false;
  #refused = 0;

  constructor(output: Output, { isAnswerShown }: { isAnswerShown: boolean }) {
    this.#output = output;
    this.#isAnswerShown = isAnswerShown;
  }

  add(event: RunEvent): void {
    const before = this.#run;
    this.#run = reduceRun(before, [event]);
    if (event.type === 'text:delta') return this.#write(event.data.delta);
    if (event.type === 'summary' && this.#run.entries.length > before.entries.length) {
      this.#isTextOpen = false;
      return this.#write(event.data.summary);
    }
    if (event.type === 'tool:result') return this.#reportTool(event.data.toolCallId);
    if (event.type === 'complete') this.#refused = event.data.refusedCalls?.count ?? 0;
    if (event.type === 'tool:call') this.#isTextOpen = false;
    if (event.type === 'agent:start') this.#report(agentLine(event.data));
    if (event.type === 'note') this.#report(`· ${event.data.message}`);
    if (event.type === 'thinking:start') this.#report('· thinking');
    if (event.type === 'compaction') this.#report('· earlier messages were summarized');
  }

  /** Ends the last line of the answer. */
  finish(): void {
    if (this.#written !== '' && !this.#written.endsWith('\n')) this.#output.write('\n');
  }

  /** How long it took and what it used. */
  get summary(): string {
    const { startedAt, endedAt, usedTokens } = this.#run;
    const took =
      startedAt === undefined || endedAt === undefined ? '' : ` in ${formatDuration(endedAt - startedAt)}`;
    const tokens = usedTokens === undefined ? '' : `, ${usedTokens} tokens`;
    return `✓ done${took}${tokens}${this.#refused === 0 ? '' : `, refused calls: ${this.#refused}`}`;
  }

  #write(text: string): void {
    if (!this.#isAnswerShown) return;
    // What the model says after it used tools is a paragraph of its own.
    const gap = this.#isTextOpen || this.#written === '' ? '' : this.#written.endsWith('\n') ? '\n' : '\n\n';
    this.#isTextOpen = true;
    this.#output.text(gap + text);
    this.#written = text;
  }

  #reportTool(callId: string): void {
    const call = this.#run.entries.findLast((entry) => entry.kind === 'tool' && entry.callId === callId);
    if (call?.kind !== 'tool') return;
    const width = this.#output.isErrorTerminal ? this.#output.errorStream.columns || 80 : 200;
    for (const line of renderToolCall(call, width, false)) this.#report(lineText(line));
  }

  #report(line: string): void {
    const { isTerminal, isErrorTerminal } = this.#output;
    // Both on one screen: a line of progress does not begin in the middle of the answer's last one.
    if (isTerminal && isErrorTerminal && this.#written !== '' && !this.#written.endsWith('\n')) {
      this.#output.write('\n');
      this.#written = '\n';
    }
    this.#output.note(this.#output.paintError('dim', escapeLine(line)));
  }
}

const agentLine = ({ agent, version, cwd }: Extract<RunEvent, { type: 'agent:start' }>['data']) =>
  `· ${[agent, version].filter(Boolean).join(' ')} works in ${cwd} itself, not in a copy`;

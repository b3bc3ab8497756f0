import type { RunEvent } from '../../../contract/run-events.ts';
import type { TaskEvent } from '../../../contract/task.ts';
import { runEventOf } from '../../../contract/task-run-events.ts';
import { describeEvent } from '../../output/describe-event.ts';
import { formatDuration } from '../../output/duration.ts';
import { escapeLine, escapeText } from '../../output/escape-text.ts';
import type { Output } from '../../output/output.ts';
import { fitText } from '../../output/text-width.ts';
import { RunTrace } from '../run/run-trace.ts';
import { LogClock } from './log-clock.ts';

/** Where stderr is no terminal. */
const PLAIN_WIDTH = 120;

interface LogPrinterOptions {
  utc: boolean;
  /** Shows a call when it starts, too: it may take a while until its result is there. */
  follow: boolean;
  now: () => Date;
}

/**
 * Prints the log of a task: what the agent says on stdout, a block per answer; everything else on stderr, a line per event
 * with its time. What a command prints stays as it is.
 */
export class LogPrinter {
  readonly #output: Output;
  readonly #follow: boolean;
  readonly #clock: LogClock;
  readonly #trace = new RunTrace();
  /** The text of the model that is being printed, or the last one. */
  #said = '';
  #isOpen = false;
  /** Where the last output of a command ended in the middle of a line. */
  #midLine: 'stdout' | 'stderr' | undefined;

  constructor(output: Output, { utc, follow, now }: LogPrinterOptions) {
    this.#output = output;
    this.#follow = follow;
    this.#clock = new LogClock(now, utc);
  }

  event(event: TaskEvent): void {
    const carried = runEventOf(event);
    if (carried) return this.#runEvent(event, carried);
    const { type, message, data } = event;
    if (type === 'output') return data['stream'] === 'text' ? this.#say(message) : this.#print(event);
    const text = describeEvent(event) ?? endOf(event);
    if (text !== '') this.#note(event, text);
  }

  /** Ends the last line, and lists the calls without a result. */
  end(): void {
    this.#settle();
    for (const line of this.#trace.running(this.#width)) this.#dim(this.#clock.indent + line);
  }

  #runEvent(event: TaskEvent, carried: RunEvent): void {
    switch (carried.type) {
      case 'text:delta':
        return this.#say(carried.data.delta);
      case 'summary':
        // The answer, which often was written already.
        if (carried.data.summary.trim() !== this.#said.trim()) {
          this.#settle();
          this.#say(carried.data.summary);
        }
        return this.#settle();
      case 'thinking:end': {
        const [line = ''] = carried.data.text.trim().split('\n');
        return line === ''
          ? undefined
          : this.#note(event, fitText(`thinking: ${escapeLine(line)}`, this.#width));
      }
      case 'thinking:start':
      case 'thinking:update':
      case 'usage':
        return undefined;
      case 'step:start':
      case 'plan':
      case 'tool:result':
        return this.#note(event, ...this.#trace.add(event, this.#width));
      case 'tool:call':
        this.#trace.add(event, this.#width);
        return this.#follow ? this.#note(event, ...this.#trace.running(this.#width).slice(-1)) : undefined;
      case 'step:complete':
        this.#trace.add(event, this.#width);
        return this.#settle();
      case 'user_message':
      case 'session:start':
      case 'agent:start':
      case 'note':
      case 'approval:requested':
      case 'approval:decided':
      case 'compaction':
      case 'complete':
      case 'message_saved':
      case 'error': {
        this.#trace.add(event, this.#width);
        const text = describeEvent(event);
        return text === undefined ? undefined : this.#note(event, text);
      }
    }
  }

  #say(text: string): void {
    if (text === '') return;
    this.#endLine();
    if (!this.#isOpen) {
      // On a screen, events stand between the answers.
      if (this.#said !== '' && !this.#isShared) this.#output.write('\n');
      this.#said = '';
    }
    this.#isOpen = true;
    this.#said += text;
    this.#output.text(text);
  }

  /** Ends the text of the model that is being printed. */
  #settle(): void {
    if (this.#isOpen && !this.#said.endsWith('\n')) this.#output.write('\n');
    this.#isOpen = false;
    this.#endLine();
  }

  #print({ message, data }: TaskEvent): void {
    const { errorStream, isErrorTerminal } = this.#output;
    const stream = data['stream'] === 'stderr' ? 'stderr' : 'stdout';
    if (this.#isOpen || (this.#isShared && this.#midLine !== stream)) this.#settle();
    if (stream === 'stderr') errorStream.write(isErrorTerminal ? escapeText(message) : message);
    else this.#output.text(message);
    this.#midLine = message === '' || message.endsWith('\n') ? undefined : stream;
  }

  #note(event: TaskEvent, ...lines: string[]): void {
    if (lines.length === 0) return;
    this.#settle();
    const day = this.#clock.newDay(event.at);
    if (day !== undefined) this.#dim(day);
    const [first = '', ...others] = lines;
    this.#dim(`${this.#clock.time(event.at)}  ${first}`);
    for (const line of others) this.#dim(this.#clock.indent + line);
  }

  #dim(line: string): void {
    this.#output.note(this.#output.paintError('dim', line));
  }

  /** Stdout of a command stays as it is, unless the next line would stand on the same one. */
  #endLine(): void {
    if (this.#midLine === 'stderr' || (this.#midLine === 'stdout' && this.#isShared)) this.#output.note('');
    this.#midLine = undefined;
  }

  get #isShared(): boolean {
    return this.#output.isTerminal && this.#output.isErrorTerminal;
  }

  get #width(): number {
    const { isErrorTerminal, errorStream } = this.#output;
    return (isErrorTerminal ? errorStream.columns || 80 : PLAIN_WIDTH) - this.#clock.indent.length;
  }
}

function endOf({ type, message, data }: TaskEvent): string {
  if (type === 'failed') return `failed: ${escapeLine(message)}`;
  const { duration } = data;
  if (type === 'completed' && typeof duration === 'number') return `completed in ${formatDuration(duration)}`;
  const text = escapeLine(message);
  return text.charAt(0).toLowerCase() + text.slice(1);
}

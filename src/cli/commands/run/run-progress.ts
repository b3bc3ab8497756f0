import type { TaskEvent } from '../../../contract/task.ts';
import { waitEventTypes } from '../../../contract/wait-events.ts';
import { describeEvent } from '../../output/describe-event.ts';
import { describeRetry } from '../../output/describe-retry.ts';
import { escapeLine, escapeText } from '../../output/escape-text.ts';
import type { Output } from '../../output/output.ts';
import { fitText } from '../../output/text-width.ts';
import { CandidateLines } from './candidate-lines.ts';
import { RunTrace } from './run-trace.ts';

const { StringDecoder } = process.getBuiltinModule('node:string_decoder');

/** Reports the progress of a task on stderr. */
export interface RunProgress {
  event(event: TaskEvent): void;
  /** Passes on what the command prints to stderr. */
  complain(piece: Uint8Array): void;
  /** Reports something that is not an event of the task, such as a cancellation in progress. */
  say(text: string): void;
  /** Frees the terminal for other output, at the start of a line. */
  pause(): void;
  resume(): void;
  /** Ends with one line. */
  end(line: string): void;
  /** What the model did, in a few words; empty for an agent without one. */
  readonly summary: string;
  /** Whether its tools changed files. */
  readonly hasChangedFiles: boolean;
}

/** Lines, for logs and pipes. */
export function plainProgress(output: Output): RunProgress {
  const decoder = new StringDecoder();
  const trace = new RunTrace();
  let isAtLineStart = true;
  let lastSaid = '';
  const line = (text: string) => {
    output.note(isAtLineStart ? text : `\n${text}`);
    isAtLineStart = true;
  };
  const say = (text: string) => {
    if (text !== lastSaid) line(output.paintError('dim', `· ${text}`));
    lastSaid = text;
  };
  return {
    event(event) {
      // The end says it, with more.
      if (event.data['choice'] !== undefined) return;
      trace.add(event, PLAIN_WIDTH);
      const text = describeEvent(event);
      if (text !== undefined) say(text);
    },
    get summary() {
      return trace.summary;
    },
    get hasChangedFiles() {
      return trace.changedFiles > 0;
    },
    complain(piece) {
      output.errorStream.write(output.isErrorTerminal ? escapeText(decoder.write(piece)) : piece);
      isAtLineStart = piece.at(-1) === NEWLINE;
    },
    say,
    pause() {
      if (!isAtLineStart) output.note('');
      isAtLineStart = true;
    },
    resume: () => undefined,
    end: line,
  };
}

/** Only the final line, to explain a failure. */
export const quietProgress = (output: Output): RunProgress => ({
  event: () => undefined,
  complain: () => undefined,
  say: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
  end: (line) => output.note(line),
  summary: '',
  hasChangedFiles: false,
});

/** A spinner, for a person at a terminal. */
export async function spinnerProgress(output: Output): Promise<RunProgress> {
  const { default: ora } = await import('ora');
  const spinner = ora({ text: 'sending the task', stream: output.errorStream, discardStdin: false }).start();
  const decoder = new StringDecoder();
  const trace = new RunTrace();
  /** The spinner writes over a line that is not complete. */
  let incomplete = '';
  /** The last line of what the agent says, as far as it has come. */
  let said = '';
  const pause = () => {
    spinner.stop();
    if (incomplete !== '') output.note(escapeText(incomplete));
    incomplete = '';
  };
  const candidates = new CandidateLines();
  let shown = '';
  const show = (text: string) => {
    shown = text;
    const width = Math.max(20, (output.errorStream.columns || 80) - 4);
    spinner.text = [fitText(text, width), ...candidates.render(width)].join('\n');
  };
  output.activity = { pause, resume: () => void spinner.start() };
  let countdown: NodeJS.Timeout | undefined;
  const showRetry = (event: TaskEvent) => show(describeRetry(event, Date.now()));
  return {
    event(event) {
      const width = output.errorStream.columns || PLAIN_WIDTH;
      if (candidates.add(event)) return show(shown);
      for (const line of trace.add(event, width)) output.note(output.paintError('dim', line));
      said = isText(event) ? lastLine(said + event.message) : '';
      const text = describeEvent(event) ?? lastLineOf(event, said);
      if (text === undefined) return;
      // That an attempt failed should still be seen when the next one works; what is missing, as a whole.
      const isWait = waitEventTypes.includes(event.type);
      if (isWait || event.type === 'waiting_for_agent' || event.data['waitsFor'] === 'pick')
        output.note(`${output.paintError('yellow', '!')} ${text}`);
      show(text);
      clearInterval(countdown);
      if (isWait) countdown = setInterval(showRetry, 1000, event).unref();
    },
    get summary() {
      return trace.summary;
    },
    get hasChangedFiles() {
      return trace.changedFiles > 0;
    },
    complain(piece) {
      const text = incomplete + decoder.write(piece);
      const end = text.lastIndexOf('\n') + 1;
      incomplete = text.slice(end);
      if (end > 0) output.errorStream.write(escapeText(text.slice(0, end)));
    },
    say: show,
    pause,
    resume: () => void spinner.start(),
    end(line) {
      clearInterval(countdown);
      pause();
      output.activity = undefined;
      output.note(line);
    },
  };
}

const NEWLINE = 10;
const PLAIN_WIDTH = 100;

/** What a model says comes in pieces of lines, anything else in lines. */
const isText = ({ type, data }: TaskEvent) => type === 'output' && data['stream'] === 'text';

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)?.trimStart() ?? '';

function lastLineOf(event: TaskEvent, said: string): string | undefined {
  const line = isText(event) ? said : lastLine(event.message);
  return event.type === 'output' && line ? escapeLine(line) : undefined;
}

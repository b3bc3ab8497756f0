import type { TaskEvent } from '../../../contract/task.ts';
import { describeEvent } from '../../output/describe-event.ts';
import { escapeLine, escapeText } from '../../output/escape-text.ts';
import type { Output } from '../../output/output.ts';
import { fitText } from '../../output/text-width.ts';

/** Reports the progress of a task on stderr. */
export interface RunProgress {
  event(event: TaskEvent): void;
  /** Reports something that is not an event of the task, such as a cancellation in progress. */
  say(text: string): void;
  /** Frees the terminal for other output, at the start of a line. */
  pause(): void;
  resume(): void;
  /** Ends with one line. */
  end(line: string): void;
}

/** Lines, for logs and pipes. */
export function plainProgress(output: Output): RunProgress {
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
      const complaint = complaintOf(event);
      if (complaint !== undefined) {
        output.errorStream.write(output.isErrorTerminal ? escapeText(complaint) : complaint);
        isAtLineStart = complaint.endsWith('\n');
        return;
      }
      const text = describeEvent(event);
      if (text !== undefined) say(text);
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
  say: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
  end: (line) => output.note(line),
});

/** A spinner, for a person at a terminal. */
export async function spinnerProgress(output: Output): Promise<RunProgress> {
  const { default: ora } = await import('ora');
  const spinner = ora({ text: 'sending the task', stream: output.errorStream, discardStdin: false }).start();
  /** The spinner writes over a line that is not complete. */
  let incomplete = '';
  /** The last line of what the agent says, as far as it has come. */
  let said = '';
  const pause = () => {
    spinner.stop();
    if (incomplete !== '') output.note(escapeText(incomplete));
    incomplete = '';
  };
  const show = (text: string) => {
    spinner.text = fitText(text, Math.max(20, (output.errorStream.columns || 80) - 4));
  };
  return {
    event(event) {
      const complaint = complaintOf(event);
      if (complaint !== undefined) {
        const text = incomplete + complaint;
        const end = text.lastIndexOf('\n') + 1;
        incomplete = text.slice(end);
        if (end > 0) output.errorStream.write(escapeText(text.slice(0, end)));
        return;
      }
      said = isText(event) ? lastLine(said + event.message) : '';
      const text = describeEvent(event) ?? lastLineOf(event, said);
      if (text === undefined) return;
      // That an attempt failed should still be seen when the next one works; what is missing, as a whole.
      if (event.type === 'retry_scheduled' || event.type === 'waiting_for_agent')
        output.note(`${output.paintError('yellow', '!')} ${text}`);
      show(text);
    },
    say: show,
    pause,
    resume: () => void spinner.start(),
    end(line) {
      pause();
      output.note(line);
    },
  };
}

const complaintOf = ({ type, message, data }: TaskEvent) =>
  type === 'output' && data['stream'] === 'stderr' ? message : undefined;

/** What a model says comes in pieces of lines, anything else in lines. */
const isText = ({ type, data }: TaskEvent) => type === 'output' && data['stream'] === 'text';

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)?.trimStart() ?? '';

function lastLineOf(event: TaskEvent, said: string): string | undefined {
  const line = isText(event) ? said : lastLine(event.message);
  return event.type === 'output' && line ? escapeLine(line) : undefined;
}

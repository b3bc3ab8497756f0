import type { Task } from '../../../contract/task.ts';
import { escapeLine, escapeText } from '../../output/escape-text.ts';
import { refusalLines } from './refusal-lines.ts';
import { endOfCommand } from './verification-text.ts';

const SHOWN_LINES = 20;

/** What a person should know of a finished task besides its answer: failed checks, changed checks, refused calls. */
export function warningsOf(task: Pick<Task, 'result'>): string[] {
  const { commands = [], changedFiles = [] } = task.result?.verification ?? {};
  const failed = commands.filter(({ exitCode }) => exitCode !== 0);
  return [
    ...failed.map((command) => {
      const output = command.outputTail.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
      return `${escapeLine(command.command)}: ${endOfCommand(command)}\n${escapeText(output)}`.trimEnd();
    }),
    ...(failed.length > 0 ? [] : changedFiles).map(
      (path) => `${escapeLine(path)} was changed during the run, and the verification uses it`,
    ),
    ...refusalLines(task),
  ];
}

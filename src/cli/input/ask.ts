import { CliError } from '../errors/cli-error.ts';
import type { Cli } from '../program/cli.ts';
import { exitCodes } from '../errors/exit-codes.ts';

export interface Question {
  text: string;
  /** The input is not echoed. */
  isHidden?: boolean;
  /** Otherwise the prompt repeats after an empty line. */
  mayBeEmpty?: boolean;
  /** Prompts for more while the lines so far are incomplete. */
  more?: (lines: string) => string | undefined;
}

/** A paste is complete once no input arrives for this long. */
const QUIET_MS = 50;

/** Whether there is a terminal to prompt on. */
export const canAsk = ({ output }: Cli): boolean => process.stdin.isTTY && output.isErrorTerminal;

/**
 * Prompts for one line per question; `next` is the hint without a terminal. Between two questions the terminal stays
 * in the same mode, so that type-ahead is neither echoed nor lost.
 */
export async function ask(cli: Cli, questions: Question[], next: string): Promise<string[]> {
  if (!canAsk(cli)) throw new CliError(exitCodes.usage, 'No terminal to prompt on.', { next });
  // Only a person at a terminal waits for these to load.
  const { createInterface } = process.getBuiltinModule('node:readline');
  const { Writable } = process.getBuiltinModule('node:stream');
  const { errorStream } = cli.output;
  const answers: string[] = [];
  let begun = '';
  let prompt = questions[0]?.text ?? '';
  const question = () => questions[answers.length];
  const shown = new Writable({
    write(chunk, encoding, done) {
      const present = question();
      if (present && !present.isHidden) errorStream.write(chunk, encoding);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output: shown, terminal: true, historySize: 0 });
  const finished = Promise.withResolvers<void>();
  const put = () => {
    const present = question();
    if (!present) return finished.resolve();
    if (present.isHidden) errorStream.write(prompt);
    lines.setPrompt(prompt);
    lines.prompt();
  };
  const stop = () => {
    errorStream.write('\n');
    finished.reject(new CliError(exitCodes.interrupted, 'Interrupted; nothing was changed.'));
  };
  lines.on('SIGINT', stop).on('close', stop);
  lines.on('line', (line) => {
    const present = question();
    if (present?.isHidden) errorStream.write('\n');
    if (present && (line !== '' || present.mayBeEmpty)) {
      begun = begun === '' ? line : `${begun}\n${line}`;
      const missing = present.more?.(begun);
      if (missing === undefined) {
        answers.push(begun);
        begun = '';
      }
      prompt = missing ?? question()?.text ?? '';
    }
    put();
  });
  put();
  try {
    await finished.promise;
    if (questions.some(({ more }) => more)) await untilQuiet();
  } finally {
    lines.off('close', stop).close();
  }
  return answers;
}

/** Surplus lines of a paste must not reach the shell, which would echo them. */
async function untilQuiet(): Promise<void> {
  const quiet = Promise.withResolvers<void>();
  const timer = setTimeout(quiet.resolve, QUIET_MS);
  const wait = () => void timer.refresh();
  process.stdin.on('data', wait);
  await quiet.promise;
  process.stdin.off('data', wait);
}

/** Asks a question that only `y` or `yes` agrees to. */
export async function confirm(cli: Cli, question: string): Promise<boolean> {
  requireAnswer(cli);
  const [answer = ''] = await ask(cli, [{ text: `${question} [y/N] `, mayBeEmpty: true }], '');
  return /^y(es)?$/i.test(answer.trim());
}

/** Throws if a command that needs confirmation has no terminal to prompt on. */
export function requireAnswer(cli: Cli): void {
  if (canAsk(cli)) return;
  throw new CliError(
    exitCodes.approvalNeeded,
    'This needs confirmation, and there is no terminal to prompt on.',
    {
      next: 'Skip the prompt: --yes',
    },
  );
}

import { ask, type Question } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** Prompts for the values that are missing. */
export async function askFor<Name extends string>(
  cli: Cli,
  given: Record<Name, string | undefined>,
  questions: Record<Name, Question>,
  next: string,
): Promise<Record<Name, string>> {
  const missing = (Object.keys(questions) as Name[]).filter((name) => given[name] === undefined);
  const asked = missing.map((name) => questions[name]);
  const answers = asked.length === 0 ? [] : await ask(cli, asked, next);
  const typed = Object.fromEntries(missing.map((name, at) => [name, answers[at]]));
  return { ...given, ...typed } as Record<Name, string>;
}

export const password = (text: string): Question => ({ text, isHidden: true });

/** Passwords are not echoed, so a typing mistake would lock the user out. */
export function requireSame(first: string, second: string): void {
  if (first === second) return;
  throw new CliError(exitCodes.invalid, 'The passwords do not match.', { next: 'Try again.' });
}

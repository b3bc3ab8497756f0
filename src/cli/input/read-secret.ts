import { ask, type Question } from './ask.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Cli } from '../program/cli.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { readStdin } from './read-stdin.ts';

/** Reads a secret from stdin, or prompts without echo if stdin is a terminal. Never an argument, never a variable. */
export async function readSecret(
  cli: Cli,
  text: string,
  flag: string,
  { more }: Pick<Question, 'more'> = {},
): Promise<string> {
  const piped = await readPiped(true);
  if (piped !== undefined) return piped;
  const question = { text, isHidden: true, ...(more && { more }) };
  const [typed = ''] = await ask(cli, [question], `Pipe it in: ${flag}`);
  return typed;
}

/** All of stdin without its last newline; undefined if stdin is a terminal or should not be read. */
export async function readPiped(shouldRead: boolean | undefined): Promise<string | undefined> {
  if (!shouldRead || process.stdin.isTTY) return undefined;
  const text = (await readStdin()).replace(/\r?\n$/, '');
  if (text !== '') return text;
  throw new CliError(exitCodes.usage, 'stdin is empty.', { next: 'Pipe it in, or type it.' });
}

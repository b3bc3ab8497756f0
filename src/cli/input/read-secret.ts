import { ask, type Question } from './ask.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Cli } from '../program/cli.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { readStdin } from './read-stdin.ts';

/** A secret from stdin, or typed unseen where stdin is a terminal. Never an argument, never a variable. */
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

/** All of stdin but its last newline; undefined where a person would have to type it, or it is not wanted. */
export async function readPiped(isWanted: boolean | undefined): Promise<string | undefined> {
  if (!isWanted || process.stdin.isTTY) return undefined;
  const text = (await readStdin()).replace(/\r?\n$/, '');
  if (text !== '') return text;
  throw new CliError(exitCodes.usage, 'Nothing came through stdin.', { next: 'Pipe it in, or type it.' });
}

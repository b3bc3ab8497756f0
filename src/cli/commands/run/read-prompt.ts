import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { isStdinGiven, readStdin } from '../../input/read-stdin.ts';

/** The prompt from the words of the command line and from stdin. */
export async function readPrompt(
  words: string[],
  takesStdin: () => Promise<boolean> = async () => true,
  command = 'svc run',
): Promise<string> {
  if (words.length === 1 && words[0] === '-') return required(await readStdin(), command);
  const argument = words.join(' ');
  // A shell command declares its own input; inherited stdin must not become part of it.
  const context = isStdinGiven() && (await takesStdin()) ? (await readStdin()).trimEnd() : '';
  return required([argument, context].filter((part) => part.trim() !== '').join('\n\n'), command);
}

function required(prompt: string, command: string): string {
  if (prompt.trim() !== '') return prompt;
  throw new CliError(exitCodes.usage, 'Missing prompt.', {
    next: `Example: ${command} "what to do", or pipe it in: ${command} -`,
  });
}

import { parseCommand } from '../commands/parse-command.ts';
import { runCommandName } from '../commands/run-command.ts';
import type { Guard, GuardedCall } from './guard.ts';

/** Signs by which a shell does more than to start one program with these words. */
const metacharacters = /[;&|<>`$()\p{Cc}]/u;
/** Names of arguments that a server may give to a shell, alone or as one word of a longer name. */
const commandWords = new Set(['command', 'cmd', 'script', 'shell', 'args']);

/** Lets a command through only as plain words and quoted strings, and whatever else is to run only without shell syntax. */
export const shellInjectionGuard: Guard = {
  name: 'shell-injection',
  check: (call) => checkArgv(call) ?? (call.tool.server === undefined ? undefined : checkForeign(call.args)),
};

function checkArgv({ tool, args, access }: GuardedCall): string | undefined {
  const { command } = access;
  if (tool.name === runCommandName && tool.server === undefined) {
    const text = args['command'];
    const parsed = parseCommand(typeof text === 'string' ? text : '');
    if ('refused' in parsed) return parsed.refused;
    // What was read is what runs, word by word.
    if (JSON.stringify(parsed.argv) !== JSON.stringify(command?.argv))
      return 'What would run is not what the command says';
  }
  if (!command) return undefined;
  if (command.argv.length === 0 || command.argv[0] === '') return 'There is no program to run';
  return [...command.argv, command.cwd].some((word) => /[\0\r\n]/.test(word))
    ? 'A command holds no line breaks and no NUL'
    : undefined;
}

function checkForeign(value: unknown, name = ''): string | undefined {
  if (typeof value === 'string')
    return isCommandName(name) && metacharacters.test(value)
      ? `${name} holds shell syntax: send plain words, one command for each call`
      : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = checkForeign(inner, Array.isArray(value) ? name : key);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isCommandName = (name: string): boolean =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => commandWords.has(word));

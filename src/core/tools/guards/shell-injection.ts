import { parseCommand } from '../commands/parse-command.ts';
import { runCommandName } from '../commands/run-command.ts';
import type { Guard, GuardedCall } from './guard.ts';

/** Characters by which a shell does more than run one program with the given words. */
const metacharacters = /[;&|<>`$()\p{Cc}]/u;
/** Names of arguments that a server may pass to a shell, alone or as a word of a longer name. */
const commandWords = new Set(['command', 'cmd', 'script', 'shell', 'args']);

/** Allows commands only as plain words and quoted strings, and command arguments of MCP tools only without shell syntax. */
export const shellInjectionGuard: Guard = {
  name: 'shell-injection',
  check: (call) =>
    checkArgv(call) ?? (call.tool.server === undefined ? undefined : checkMcpArguments(call.args)),
};

function checkArgv({ tool, args, access }: GuardedCall): string | undefined {
  const { command } = access;
  if (tool.name === runCommandName && tool.server === undefined && !access.isShellText) {
    const text = args['command'];
    const parsed = parseCommand(typeof text === 'string' ? text : '');
    if ('refused' in parsed) return parsed.refused;
    // Exactly the parsed words must run.
    const planned = [command?.argv, command?.parts ?? null];
    if (JSON.stringify([parsed.argv, parsed.parts ?? null]) !== JSON.stringify(planned))
      return 'The program to run does not match the command';
  }
  if (!command) return undefined;
  if (command.argv.length === 0 || command.argv[0] === '') return 'There is no program to run';
  const words = command.parts?.flatMap(({ argv }) => argv) ?? command.argv;
  return !access.isShellText && [...words, command.cwd].some((word) => /[\0\r\n]/.test(word))
    ? 'A command must not contain line breaks or NUL characters'
    : undefined;
}

function checkMcpArguments(value: unknown, name = ''): string | undefined {
  if (typeof value === 'string')
    return isCommandName(name) && metacharacters.test(value)
      ? `${name} contains shell syntax: send plain words, one command for each call`
      : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = checkMcpArguments(inner, Array.isArray(value) ? name : key);
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

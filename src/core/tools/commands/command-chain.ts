import { type AndOr, type Command, parse, type Statement } from 'unbash';

/** One program of a command line. */
export interface CommandPart {
  argv: string[];
  /** How it is connected to the part before; undefined for the first. */
  operator?: '|' | '&&';
  /** Output that is thrown away or joined, as it is written in the shell. */
  redirects: string[];
}

/** The redirections that write no file. Joining the errors to the output is only of use in front of a pipe. */
const discards = new Set(['2>/dev/null', '>/dev/null', '1>/dev/null']);
const joins = '2>&1';

/** The commands of a line and the operators between them, or why the line is refused. */
export function chainOf(text: string): { commands: Command[]; operators: string[] } | string {
  if (text.trim() === '') return 'The command is empty';
  const script = parse(text);
  if (script.errors?.length)
    return `The command is not complete (${script.errors[0]?.message}). Close every quote, and write no shell syntax`;
  const [statement, ...others] = script.commands;
  if (!statement || others.length > 0)
    return 'There is no shell here, so no lists (; ||). Make one call for each command';
  if (statement.background) return 'Commands cannot run in the background (&). Leave it out';
  return flatten(statement.command);
}

function flatten(command: Statement['command']): { commands: Command[]; operators: string[] } | string {
  const nodes = command.type === 'AndOr' ? command.commands : [command];
  const commands: Command[] = [];
  const operators: string[] = [];
  for (const [index, node] of nodes.entries()) {
    if (index > 0) operators.push((command as AndOr).operators[index - 1] ?? '');
    const isPipeline = node.type === 'Pipeline';
    if (isPipeline) operators.push(...node.operators);
    for (const one of isPipeline ? node.commands : [node]) {
      if (one.type !== 'Command' || (isPipeline && node.prefixes.length > 0))
        return 'There is no shell here, so no loops, conditions, groups or other shell syntax. Send one program with its arguments';
      commands.push(one);
    }
  }
  const unknown = operators.find((operator) => operator !== '|' && operator !== '&&');
  if (unknown === undefined) return { commands, operators };
  return unknown === '|&'
    ? 'There is no shell here, and pipes work as | only'
    : `There is no shell here, so no lists with ${unknown}. Make one call for each command`;
}

/** The redirections of a command that write no file; undefined if it has another one. */
export function plainRedirects({ redirects }: Command, text: string, next?: string): string[] | undefined {
  const found = redirects.map(({ pos, end }) => text.slice(pos, end));
  return found.every((one) => discards.has(one) || (one === joins && next === '|')) ? found : undefined;
}

/**
 * The program and arguments that run the parts, connected as in a shell. The script contains only numbers and operators; the
 * words are its arguments, so that no shell reads them, and `exec` never runs a builtin.
 */
export function chainArgv(parts: readonly CommandPart[]): string[] {
  const words: string[] = [];
  const script = parts.map(({ argv, operator, redirects }) => {
    const names = argv.map((word) => `"\${${words.push(word)}}"`);
    const run = `(exec ${[...names, ...redirects].join(' ')})`;
    return operator === undefined ? run : `${operator} ${run}`;
  });
  return ['/bin/sh', '-c', script.join(' '), 'sh', ...words];
}

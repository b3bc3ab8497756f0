import type { ToolCall } from '../../../contract/conversations.ts';
import { untrustedMark } from '../../memory/learned/describe-experience.ts';
import { commandWords, redactUrl } from './redact-arguments.ts';

const MAX_STEPS = 20;
const MAX_ARGUMENT = 200;

/** The argument by which a call is known; contents and options are left out, since secrets may be in them. */
const mainArguments: Record<string, string> = {
  read_file: 'path',
  write_file: 'path',
  edit_file: 'path',
  list_directory: 'path',
  search_files: 'pattern',
  grep: 'pattern',
  web_search: 'query',
  task_create: 'title',
};

/**
 * Tools that answer with nothing but what is on this machine: from others a stranger may have spoken. A command is none
 * of them, since it may have had the network.
 */
const ownTools = new Set([
  'read_file',
  'write_file',
  'edit_file',
  'list_directory',
  'search_files',
  'grep',
  'task_create',
  'memory_search',
]);

/** The calls that went well, each once, in their order and in short; what was only remembered is known already. */
export function stepsOf(calls: readonly ToolCall[]): string[] {
  const steps = calls
    .filter(({ name, status }) => status === 'success' && name !== 'memory_search')
    .map(describeCall);
  return [...new Set(steps)].slice(0, MAX_STEPS);
}

/** Whether a stranger's words may be in what a call answered. */
export const mayRepeatStrangers = ({ name, result }: Pick<ToolCall, 'name' | 'result'>): boolean =>
  !ownTools.has(name) || (name === 'memory_search' && result.includes(untrustedMark));

function describeCall({ name, arguments: args }: ToolCall): string {
  const values = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {};
  const of = (key: string) => (typeof values[key] === 'string' ? values[key] : '');
  const argument =
    name === 'run_command'
      ? commandWords(of('command'))
      : name === 'web_fetch'
        ? redactUrl(of('url'))
        : of(mainArguments[name] ?? '');
  return `${name} ${argument.trim().slice(0, MAX_ARGUMENT)}`.trim().toWellFormed();
}

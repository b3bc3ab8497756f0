import type { ToolCall } from '../../../contract/conversations.ts';
import { hasUntrustedMark } from '../../memory/learned/describe-experience.ts';
import { redactCommand, redactUrl } from './redact-arguments.ts';

const MAX_STEPS = 20;
const MAX_ARGUMENT = 200;

/** The argument that identifies a call. Contents and options are left out because they may hold secrets. */
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
 * Tools whose results come only from this machine. Commands are not among them: they may have read from the network.
 */
const localTools = new Set([
  'read_file',
  'write_file',
  'edit_file',
  'list_directory',
  'search_files',
  'grep',
  'task_create',
  'memory_search',
]);

/**
 * The successful calls, deduplicated, in order and shortened. Memory searches are left out: their results are already
 * known.
 */
export function stepsOf(calls: readonly ToolCall[]): string[] {
  const steps = calls
    .filter(({ name, status }) => status === 'success' && name !== 'memory_search')
    .map(describeCall);
  return [...new Set(steps)].slice(0, MAX_STEPS);
}

/** Whether the result of a call may contain untrusted text. */
export const mayContainUntrustedText = ({ name, result }: Pick<ToolCall, 'name' | 'result'>): boolean =>
  !localTools.has(name) || (name === 'memory_search' && hasUntrustedMark(result));

/** The tool with its main argument, without anything that may hold a secret. */
export function describeCall({ name, arguments: args }: { name: string; arguments: unknown }): string {
  const values: Record<string, unknown> = typeof args === 'object' && args !== null ? { ...args } : {};
  const of = (key: string) => (typeof values[key] === 'string' ? values[key] : '');
  const argument =
    name === 'run_command'
      ? redactCommand(of('command'))
      : name === 'web_fetch'
        ? redactUrl(of('url'))
        : of(mainArguments[name] ?? '');
  return `${name} ${argument.trim().slice(0, MAX_ARGUMENT)}`.trim().toWellFormed();
}

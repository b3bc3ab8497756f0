import { mcpOf } from '../mcp-name.ts';
import { join } from 'node:path/posix';
import type { CallKind, PermissionQuestion } from '../driver.ts';
import { type Fields, text } from './claude-messages.ts';

type Paths = NonNullable<PermissionQuestion['paths']>;

const kinds = new Map<string, CallKind>([
  ['Bash', 'shell'],
  ...['Edit', 'Write', 'MultiEdit', 'NotebookEdit'].map((name) => [name, 'edit'] as const),
  ...['Read', 'Glob', 'Grep', 'LS'].map((name) => [name, 'read'] as const),
  ...['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'].map((name) => [name, 'plan'] as const),
]);

export const kindOf = (name: string): CallKind => kinds.get(name) ?? (mcpOf(name) ? 'mcp' : 'other');

/** The files that a call reads or writes, as the input names them; undefined where it names none in the way known of its tool. */
export function pathsOf(name: string, input: Fields, cwd: string): Paths | undefined {
  const kind = kindOf(name);
  if (kind !== 'read' && kind !== 'edit') return undefined;
  const operation = kind === 'read' ? 'read' : 'write';
  const named = name === 'NotebookEdit' ? input['notebook_path'] : (input['file_path'] ?? input['path']);
  // Glob and Grep search the working directory if they name no other.
  const path = text(named) ?? (named === undefined && (name === 'Glob' || name === 'Grep') ? cwd : undefined);
  if (path === undefined) return undefined;
  const outside = name === 'Glob' ? leaveOf(input['pattern'], path) : undefined;
  return [path, ...(outside === undefined ? [] : [outside])].map((each) => ({ path: each, operation }));
}

/** A pattern may lead out of the directory that it is searched from: then the directory that it starts in. */
function leaveOf(pattern: unknown, from: string): string | undefined {
  if (typeof pattern !== 'string' || !/^[/~]|\.\./.test(pattern)) return undefined;
  const parts = pattern.split('/');
  const wild = parts.findIndex((part) => /[*?[\]{}!()]/.test(part));
  const start = (wild < 0 ? parts : parts.slice(0, wild)).join('/') || '/';
  // Braces and the like can hide `..` behind the part that can be read: then anything may be meant.
  if (parts.slice(wild < 0 ? parts.length : wild).some((part) => part.includes('..'))) return '/';
  return /^[/~]/.test(start) ? start : join(from, start);
}

/** A line for people: what the call does, in short. */
export function titleOf(name: string, input: Fields): string {
  const mcp = mcpOf(name);
  if (mcp) return `${mcp.server}: ${mcp.tool}`;
  const subject = ['command', 'file_path', 'notebook_path', 'path', 'pattern', 'url', 'query', 'subject']
    .map((key) => text(input[key]))
    .find((value) => value !== undefined);
  return subject === undefined ? name : `${name}: ${subject}`;
}

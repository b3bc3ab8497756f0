import { resolve } from 'node:path';
import type { ToolCall, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import type { Approval, FileDiff } from '../../../contract/approvals.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import { parseDiff } from '../../tui/parts/parse-diff.ts';

/** What each tool does in words of the protocol, a verb for people, and the argument that says on what. */
const tools: Record<string, [kind: ToolKind, verb: string, subject: string]> = {
  read_file: ['read', 'Read', 'path'],
  list_directory: ['read', 'List', 'path'],
  grep: ['search', 'Search for', 'pattern'],
  search_files: ['search', 'Find files', 'pattern'],
  write_file: ['edit', 'Write', 'path'],
  edit_file: ['edit', 'Edit', 'path'],
  run_command: ['execute', '', 'command'],
  web_fetch: ['fetch', 'Fetch', 'url'],
  web_search: ['fetch', 'Search the web for', 'query'],
  memory_search: ['search', 'Search the memory for', 'query'],
};

type Described = Pick<ToolCall, 'title' | 'name' | 'kind' | 'locations' | 'rawInput'>;
type Diffs = Extract<RunEvent, { type: 'tool:result' }>['data']['diff'];

/** A call as an editor names it; paths are absolute where its directory is known. */
export function describeCall(name: string, args: unknown, cwd: string | undefined): Described {
  const [kind, verb, key] = tools[name] ?? (['other', name, ''] as const);
  const subject = textOf(args, key);
  const path = textOf(args, 'path');
  return {
    title: subject === undefined ? verb || name : [verb, quoted(subject)].filter(Boolean).join(' '),
    name,
    kind,
    rawInput: args,
    ...(path !== undefined && cwd !== undefined && { locations: [{ path: resolve(cwd, path) }] }),
  };
}

/** Why a call needs a decision, where it runs, and what it would change. */
export function approvalContent({ reason, cwd, diff }: Approval): ToolCallContent[] {
  return [...textContent(`${reason}\n\nDirectory: ${cwd}`), ...(diff ? hunksOf(diff, cwd) : [])];
}

interface Result {
  name: string;
  args: unknown;
  text: string;
  diff: Diffs;
  cwd: string | undefined;
}

/** What a successful call has returned or changed. */
export function resultContent({ name, args, text, diff, cwd }: Result): ToolCallContent[] {
  const reported = (diff ?? []).flatMap(({ path, oldText, newText }) =>
    newText === undefined ? [] : [diffOf(path, oldText, newText, cwd)],
  );
  if (reported.length > 0) return reported;
  const path = textOf(args, 'path');
  const [oldText, newText, content] = ['oldText', 'newText', 'content'].map((key) => textOf(args, key));
  if (name === 'edit_file' && path !== undefined && oldText !== undefined && newText !== undefined)
    return [diffOf(path, oldText, newText, cwd)];
  // Of a file that was replaced, the text before is not known here.
  if (name === 'write_file' && path !== undefined && content !== undefined && text.startsWith('Created '))
    return [diffOf(path, undefined, content, cwd)];
  return textContent(text);
}

/** A text as the content of a call; none where it is empty. */
export const textContent = (text: string): ToolCallContent[] =>
  text === '' ? [] : [{ type: 'content', content: { type: 'text', text } }];

/** One diff for each hunk, with the lines around it. */
function hunksOf({ path, text, created, unavailable }: FileDiff, cwd: string): ToolCallContent[] {
  if (unavailable !== undefined) return textContent(unavailable);
  return parseDiff(text).map((lines) => {
    const side = (mark: '-' | '+') =>
      lines
        .filter((line) => line.mark === ' ' || line.mark === mark)
        .map((line) => `${line.text}\n`)
        .join('');
    return diffOf(path, created ? undefined : side('-'), side('+'), cwd);
  });
}

const diffOf = (
  path: string,
  oldText: string | undefined,
  newText: string,
  cwd: string | undefined,
): ToolCallContent => ({
  type: 'diff',
  path: cwd === undefined ? path : resolve(cwd, path),
  oldText: oldText ?? null,
  newText,
});

const quoted = (text: string) => `\`${text.replaceAll('`', "'").replaceAll(/\s+/g, ' ')}\``;

function textOf(args: unknown, key: string): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  const value: unknown = Object.hasOwn(args, key) ? (args as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

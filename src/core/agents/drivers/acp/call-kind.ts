import { mcpOf } from '../mcp-name.ts';
import type { CallKind } from '../driver.ts';
import { isObject } from '../json-rpc.ts';
import { type Fields, objectOf, textOf } from './fields.ts';

/** What decides on the kind of a call, as the agent has described it so far. */
export interface CallTraits {
  id: string;
  /** The kind in the words of the protocol. */
  protocolKind: string | undefined;
  title: string;
  name: string | undefined;
  /** All arguments that were reported. */
  input: Fields;
  mcp: { server: string; tool: string } | undefined;
}

const kinds: ReadonlyMap<unknown, CallKind> = new Map([
  ['execute', 'shell'],
  ['edit', 'edit'],
  ['delete', 'edit'],
  ['move', 'edit'],
  ['read', 'read'],
  ['search', 'read'],
]);
const PLAN_TOOL = /^(?:todo_?write|write_?todos|update_plan|task(?:create|update|list|get))$/i;

/** What a call does. A call with a command is of the kind `shell` even where its agent says that it only reads. */
export function callKind({ protocolKind, input, name, mcp }: CallTraits): CallKind {
  if (mcp) return 'mcp';
  const kind = kinds.get(protocolKind) ?? 'other';
  if (kind === 'read' && input['command'] !== undefined) return 'shell';
  return kind === 'other' && PLAN_TOOL.test(name ?? '') ? 'plan' : kind;
}

/**
 * The agent's own name of a tool. Gemini says it only in the ID of the call, opencode only in the title of a call whose
 * arguments are still to come.
 */
export const toolName = (update: Fields, id: string): string | undefined =>
  textOf(objectOf(objectOf(update['_meta'])['claudeCode'])['toolName']) ??
  textOf(update['name']) ??
  /^([A-Za-z]\w*?)__/.exec(id)?.[1] ??
  (isObject(update['rawInput']) && update['rawInput']['command'] === undefined
    ? /^[\w.-]+$/.exec(textOf(update['title']) ?? '')?.[0]
    : undefined);

/** The MCP server and tool of a call, from the fields in which each agent reports them; a title of a command is never read so. */
export function mcpTool(
  update: Fields,
  { id, name, title, protocolKind, input }: CallTraits,
  servers: readonly string[],
): { server: string; tool: string } | undefined {
  const meta = objectOf(update['_meta']);
  const [server, tool] = [textOf(input['server']), textOf(input['tool'])];
  if (meta['is_mcp_tool_call'] === true) return server && tool ? { server, tool } : undefined;
  const named = textOf(objectOf(objectOf(meta['claudeCode'])['mcpServer'])['name']);
  if (named && name?.startsWith(`mcp__${named}__`))
    return { server: named, tool: name.slice(`mcp__${named}__`.length) };
  const parts = mcpOf(name ?? '');
  if (parts) return parts;
  if (protocolKind !== 'other') return undefined;
  const titled = id.startsWith('mcp_') ? titledPair(title) : undefined;
  if (titled) return titled;
  // A name that several servers could have is none of theirs: an unknown kind needs an approval.
  const owners = servers.filter((owner) => name?.startsWith(`${asPrefix(owner)}_`));
  return owners.length === 1 ? pair(owners[0], name?.slice(asPrefix(owners[0] ?? '').length + 1)) : undefined;
}

const SERVER_ENDING = ' MCP Server)';

/** What Gemini's title names, such as `echo (eco MCP Server)`. */
function titledPair(title: string) {
  const start = title.lastIndexOf(' (');
  if (start < 0 || !title.endsWith(SERVER_ENDING)) return undefined;
  return pair(title.slice(start + 2, -SERVER_ENDING.length), title.slice(0, start));
}

const asPrefix = (server: string): string => server.replaceAll(/[^\w-]/g, '_');

const pair = (server: string | undefined, tool: string | undefined) =>
  server && tool ? { server, tool } : undefined;

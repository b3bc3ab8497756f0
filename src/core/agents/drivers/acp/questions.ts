import type { PermissionAnswer, PermissionQuestion } from '../driver.ts';
import type { KnownCall } from './calls.ts';
import { hasMembers, listOf, textOf } from './fields.ts';

/** The question about a call, bound to a copy of everything that is known of it. */
export function permissionQuestion(known: KnownCall): PermissionQuestion {
  const command = commandOf(known);
  const { call, mcp } = known;
  return {
    call: structuredClone(call),
    bound: known.id !== '' && isFullyKnown(known) ? bound(known) : undefined,
    hidesArguments: hasArgumentsToCome(known),
    isExact: call.kind === 'shell' ? known.input['command'] !== undefined : hasMembers(known.input),
    ...(command !== undefined && { command: { text: command, cwd: textOf(known.input['cwd']) } }),
    ...(call.kind === 'mcp' && mcp && { mcp }),
    ...(['edit', 'read', 'other'].includes(call.kind) && { paths: pathsOf(known) }),
  };
}

/** The response to a request for a permission. Without an option for this one call it is `cancelled`, never one for more calls. */
export function permissionResponse(options: unknown, { decision }: PermissionAnswer): PermissionResponse {
  const kind = { allow: 'allow_once', deny: 'reject_once', cancelled: undefined }[decision];
  const option = listOf(options).find((one) => kind !== undefined && one['kind'] === kind);
  const optionId = textOf(option?.['optionId']);
  return {
    outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
  };
}

export interface PermissionResponse {
  outcome: { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string };
}

/** Whether the call is described so far that a decision can mean exactly this call. */
function isFullyKnown(known: KnownCall): boolean {
  const { call, input, diffs, texts, locations, title, name, protocolKind } = known;
  const hasInput = hasMembers(input);
  // A title that only repeats the name of the tool says nothing about the call.
  const hasTitle = title !== '' && title !== name;
  switch (call.kind) {
    case 'shell':
      return commandOf(known) !== undefined;
    case 'edit':
      return hasInput || diffs.length > 0 || (protocolKind === 'delete' && locations.length > 0);
    case 'mcp':
      // Where the arguments do not come at all, a person decides on the tool.
      return hasInput || texts.length > 0 || (known.mcp !== undefined && known.reportsInput);
    case 'read':
    case 'plan':
    case 'other':
      return (
        [hasInput, hasTitle, diffs.length > 0, texts.length > 0, locations.length > 0].includes(true) ||
        // Nobody knows what the server of a tool is called, but a person may know the tool.
        (call.kind === 'other' && known.reportsInput && name !== undefined)
      );
  }
}

/** Whether the agent asks for a call before it says its arguments, as opencode does for tools of MCP servers. */
export const hasArgumentsToCome = ({ call, input, texts, reportsInput, hasAllInput }: KnownCall): boolean =>
  (call.kind === 'mcp' || call.kind === 'other') &&
  reportsInput &&
  !hasAllInput &&
  !hasMembers(input) &&
  texts.length === 0;

/** No IDs: the same call made again is bound to the same. */
function bound({
  protocolKind,
  title,
  name,
  input,
  locations,
  diffs,
  texts,
  mcp,
}: KnownCall): Record<string, unknown> {
  return structuredClone({
    title,
    ...(protocolKind !== undefined && { kind: protocolKind }),
    ...(name !== undefined && { name }),
    ...(mcp && { mcp }),
    ...(hasMembers(input) && { input }),
    ...(locations.length > 0 && { locations }),
    ...(diffs.length > 0 && { diffs }),
    ...(texts.length > 0 && { texts }),
  });
}

/** The command of a shell call: its argument, or the title where the agent reports no arguments at all. */
function commandOf({ call, input, reportsInput, title }: KnownCall): string | undefined {
  if (call.kind !== 'shell') return undefined;
  const { command } = input;
  if (typeof command === 'string') return command;
  if (Array.isArray(command) && command.every((word) => typeof word === 'string'))
    return command.map(shellWord).join(' ');
  return command === undefined && !reportsInput && title !== '' ? title : undefined;
}

const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

const PATH_ARGUMENT = /^(?:(?:file|notebook|absolute|dir|old|new)?_?path|file)$/i;

function pathsOf({ call, input, locations, diffs }: KnownCall): NonNullable<PermissionQuestion['paths']> {
  const named = Object.entries(input).flatMap(([key, value]) =>
    typeof value === 'string' && PATH_ARGUMENT.test(key) ? [value] : [],
  );
  const paths = new Set([...locations, ...diffs].map(({ path }) => path).concat(named));
  // What an unknown kind of call does with a file is not known either.
  const operation = call.kind === 'read' ? 'read' : 'write';
  return [...paths].map((path) => ({ path, operation }));
}

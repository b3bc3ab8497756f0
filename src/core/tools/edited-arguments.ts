import { isDeepStrictEqual } from 'node:util';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import { maskSecrets, maskValue } from './mask-secrets.ts';

/** The longest value that is sent to the model, in characters of JSON. */
const MAX_VALUE = 4000;

/** The arguments of a person as an approval stores them, and as they may be shown. */
export const storeEdited = (args: Record<string, unknown>): string =>
  JSON.stringify({ arguments: args, shown: maskSecrets(args) });

/** The arguments that a person put in place of those of the model; undefined where they left them. */
export function editedArguments({
  edited,
}: Pick<ApprovalRow, 'edited'>): Record<string, unknown> | undefined {
  if (edited === null) return undefined;
  return (JSON.parse(edited) as { arguments: Record<string, unknown> }).arguments;
}

/** Tells the model which of its arguments a person changed, and to what; before the result of the call. */
export function noteOfEdit(requested: unknown, edited: Record<string, unknown>): string {
  const before = typeof requested === 'object' && requested !== null ? { ...requested } : {};
  const old = new Map<string, unknown>(Object.entries(before));
  const changes: string[] = [];
  for (const [name, value] of Object.entries(edited))
    if (!old.has(name) || !isDeepStrictEqual(old.get(name), value))
      changes.push(`${name} is now ${cut(JSON.stringify(maskValue(value, name)))}`);
  for (const name of old.keys()) if (!Object.hasOwn(edited, name)) changes.push(`${name} was removed`);
  if (changes.length === 0) return '';
  return `The user changed the arguments of this call: ${changes.join('; ')}.\nWith these arguments:\n`;
}

const cut = (text: string) =>
  text.length <= MAX_VALUE
    ? text
    : `${text.slice(0, MAX_VALUE)} [… ${text.length - MAX_VALUE} more characters …]`;

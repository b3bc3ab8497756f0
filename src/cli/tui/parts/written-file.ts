import type { ToolEntry } from './run-entry.ts';

/** The tools that change the file that their argument `path` names. */
const writers = ['write_file', 'edit_file'];

/** The file that a call writes, as the model named it; undefined for calls of other tools. */
export function writtenFile({ name, arguments: args }: ToolEntry): string | undefined {
  if (!writers.includes(name) || typeof args !== 'object' || args === null || Array.isArray(args))
    return undefined;
  const { path } = args;
  return typeof path === 'string' ? path : undefined;
}

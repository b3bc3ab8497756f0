import { ApiError } from '../../../contract/client.ts';

/** What is wrong, by the name of the field. */
export type FieldProblems = ReadonlyMap<string, string>;

/**
 * What the daemon found wrong, by field, and whether some of it belongs to none: a path such as `task.verify.2` belongs
 * to the field `verify`.
 */
export function fieldProblems(
  error: unknown,
  isField: (name: string) => boolean,
): { problems: FieldProblems; isComplete: boolean } {
  const problems = new Map<string, string>();
  const details = error instanceof ApiError ? (error.details ?? []) : [];
  let isComplete = details.length > 0;
  for (const { path, message } of details) {
    const name = fieldOf(path.replace(/^task\./, ''), isField);
    if (name === undefined) isComplete = false;
    else if (!problems.has(name)) problems.set(name, message);
  }
  return { problems, isComplete };
}

function fieldOf(path: string, isField: (name: string) => boolean): string | undefined {
  const parts = path.split('.');
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join('.');
    if (isField(name)) return name;
  }
  return undefined;
}

import type { Schedule } from '../../../contract/schedules.ts';
import type { TaskEnvironmentPatch } from '../../../contract/task-environment.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { fitText } from '../../output/text-width.ts';
import { changedFields, draftOf } from './schedule-draft.ts';

const LONGEST = 60;

/** What changed, a line per field: `cron  0 3 * * * → 0 4 * * *`; of the variables, which got a value or were removed. */
export function formatChanges(before: Schedule, after: Schedule, env: TaskEnvironmentPatch = {}): string[] {
  const [old, now] = [draftOf(before), draftOf(after)];
  const rows = changedFields(old, now).map((field): [string, string] => [
    field,
    `${formatValue(old[field])} → ${formatValue(now[field])}`,
  ]);
  for (const [name, value] of Object.entries(env))
    rows.push([
      `env.${name}`,
      value === null ? 'removed' : before.task.envNames?.includes(name) ? 'changed' : 'added',
    ]);
  const width = Math.max(...rows.map(([field]) => field.length));
  return rows.map(([field, change]) => `${field.padEnd(width)}  ${change}`);
}

function formatValue(value: unknown): string {
  if (value === undefined) return '(none)';
  return fitText(escapeLine(typeof value === 'string' ? value : JSON.stringify(value)), LONGEST);
}

import type { Schedule, UpdateSchedule } from '../../../contract/schedules.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { titleOf } from '../../../contract/task-title.ts';

/** The fields of a schedule and of its tasks side by side, as people change them. */
export type ScheduleDraft = Readonly<Record<string, unknown>>;

/** The fields that belong to the schedule itself; all others belong to its tasks. */
export const ownFields = ['name', 'cron', 'at', 'timezone', 'overlap', 'catchUp', 'maxFailures'] as const;

export function draftOf({ task, ...schedule }: Schedule): ScheduleDraft {
  const { envNames: _, ...work } = task;
  const own = ownFields.flatMap((field) => (schedule[field] === undefined ? [] : [[field, schedule[field]]]));
  return { ...(Object.fromEntries(own) as object), ...work };
}

/** The draft after a change; a title and a name that were taken from the prompt follow it. */
export function withChange(before: ScheduleDraft, change: ScheduleDraft): ScheduleDraft {
  const { prompt, title } = { ...before, ...change };
  const isOwnTitle = before['title'] !== titleOf(textOf(before['prompt']));
  const newTitle = change['title'] === undefined && !isOwnTitle ? titleOf(textOf(prompt)) : title;
  const isOwnName = before['name'] !== textOf(before['title']).slice(0, 200);
  return {
    ...before,
    ...(!isOwnName && { name: textOf(newTitle).slice(0, 200) }),
    title: newTitle,
    ...change,
    // One time or the other.
    ...(change['cron'] !== undefined && change['at'] === undefined && { at: undefined }),
    ...(change['at'] !== undefined && change['cron'] === undefined && { cron: undefined }),
  };
}

/** What to send for a draft: the changed fields of the schedule, and its whole task if something of it changed. */
export function patchOf(before: ScheduleDraft, after: ScheduleDraft): UpdateSchedule {
  if (after['cron'] === undefined && after['at'] === undefined)
    throw new CliError(exitCodes.usage, 'A schedule needs a time.', { next: 'Give cron or at.' });
  const changed = changedFields(before, after);
  const isOwn = (field: string) => ownFields.some((own) => own === field);
  const pick = (fields: string[]) =>
    Object.fromEntries(
      fields.flatMap((field) => (after[field] === undefined ? [] : [[field, after[field]]])),
    );
  return {
    ...pick(changed.filter(isOwn)),
    ...(changed.some((field) => !isOwn(field)) && {
      task: pick(Object.keys(after).filter((field) => !isOwn(field))),
    }),
  } as UpdateSchedule;
}

/** The fields that differ, in the order of the drafts. */
export const changedFields = (before: ScheduleDraft, after: ScheduleDraft): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

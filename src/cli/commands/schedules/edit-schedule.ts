import type { Schedule, UpdateSchedule } from '../../../contract/schedules.ts';
import type { TaskEnvironmentPatch } from '../../../contract/task-environment.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { readStdin } from '../../input/read-stdin.ts';
import type { Cli } from '../../program/cli.ts';
import { asker } from '../run/create-task.ts';
import { chosenVariables } from '../run/task-environment.ts';
import { nextRunLines } from './next-runs.ts';
import { formatChanges } from './schedule-changes.ts';
import {
  changedFields,
  draftOf,
  ownFields,
  patchOf,
  type ScheduleDraft,
  withChange,
} from './schedule-draft.ts';
import { type ScheduleOptions, scheduleFieldsOf, taskFieldsOf } from './schedule-fields.ts';

export interface EditOptions extends ScheduleOptions {
  cron?: string;
  prompt?: string;
  unset?: string[];
  json?: boolean;
  quiet?: boolean;
}

/** `svc schedules edit ID`: by options, or in an editor without any; says what changed. */
export async function editSchedule(cli: Cli, text: string, options: EditOptions): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { id, answer } = await withId(text, idsOf(client, 'schedule'), (each) =>
    client.schedules.get({ params: { id: each } }),
  );
  const before = answer.schedule;
  const { json, quiet, ...changes } = options;
  let env: TaskEnvironmentPatch | undefined;
  const send = async (body: UpdateSchedule) => {
    if (Object.keys(body).length === 0) return undefined;
    // The task is replaced as a whole.
    const { schedule } = await client.schedules.get({ params: { id } });
    if (changedFields(draftOf(before), draftOf(schedule)).length > 0)
      throw new CliError(exitCodes.invalid, 'Someone else has changed the schedule in the meantime.', {
        next: `Edit it again: svc schedules edit ${id}`,
      });
    ({ env } = body.task ?? {});
    return client.schedules.update({ params: { id }, body });
  };
  const after =
    Object.keys(changes).length > 0
      ? await send(await patchByOptions(cli, before, changes))
      : await (await import('./edit-in-editor.ts')).editInEditor(cli, before, send);
  if (json) return output.json(after ?? answer);
  output.write(`${id}\n`);
  if (quiet) return;
  const lines = after ? formatChanges(before, after.schedule, env) : [];
  if (!after || lines.length === 0) return output.note('Nothing changed.');
  output.note(`Schedule changed:${lines.map((line) => `\n  ${line}`).join('')}`);
  const { nextRuns, timezone } = after.schedule;
  const changed = changedFields(draftOf(before), draftOf(after.schedule));
  if (nextRuns.length > 0 && changed.some((field) => ['cron', 'at', 'timezone'].includes(field)))
    output.note(
      `Next runs (${timezone}):${nextRunLines(nextRuns, timezone)
        .map((line) => `\n  ${line}`)
        .join('')}`,
    );
}

async function patchByOptions(cli: Cli, schedule: Schedule, options: EditOptions): Promise<UpdateSchedule> {
  const { client, target } = cli.connect();
  const before = draftOf(schedule);
  const { cron, title, unset = [] } = options;
  const prompt = options.prompt === '-' ? await readStdin() : options.prompt;
  const changed = withChange(before, {
    ...scheduleFieldsOf(options),
    ...(cron !== undefined && { cron }),
    ...(prompt !== undefined && { prompt }),
    ...(title !== undefined && { title }),
    ...taskFieldsOf(options, target.isLocal),
    ...(options.label && { labels: [...new Set([...schedule.task.labels, ...options.label])] }),
  });
  const after: ScheduleDraft = { ...changed, ...Object.fromEntries(unsetFields(changed, unset)) };
  const agent = after['assignedAgent'] ?? undefined;
  const needs = await asker(client, typeof agent === 'string' ? agent : undefined)();
  const env = {
    ...chosenVariables(options, cli.platform.env, needs),
    ...Object.fromEntries(unsetVariables(schedule, unset)),
  };
  return patchOf(before, { ...after, ...(Object.keys(env).length > 0 && { env }) });
}

function unsetFields(draft: ScheduleDraft, unset: readonly string[]): [string, undefined][] {
  return unset
    .filter((field) => !field.startsWith('env.'))
    .map((field) => {
      if (ownFields.some((own) => own === field) || field === 'title')
        throw new CliError(exitCodes.usage, `A schedule cannot be without ${field}.`);
      if (draft[field] === undefined) throw notSet(field, Object.keys(draft));
      return [field, undefined];
    });
}

function unsetVariables({ task }: Schedule, unset: readonly string[]): [string, null][] {
  const { envNames = [] } = task;
  return unset
    .filter((field) => field.startsWith('env.'))
    .map((field) => {
      const name = field.slice('env.'.length);
      if (!envNames.includes(name))
        throw notSet(
          field,
          envNames.map((each) => `env.${each}`),
        );
      return [name, null];
    });
}

function notSet(field: string, known: readonly string[]): CliError {
  const others = known.filter((each) => !ownFields.some((own) => own === each));
  return new CliError(exitCodes.usage, `The schedule has no ${field}.`, {
    ...(others.length > 0 && { next: `It has: ${others.join(', ')}.` }),
  });
}

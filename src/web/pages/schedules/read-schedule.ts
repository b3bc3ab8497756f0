import type { Client } from '../../../contract/client.ts';
import type { Schedule } from '../../../contract/schedules.ts';
import type { FieldProblems } from '../../components/form/field-problems.ts';
import { formText } from '../../components/form-text.ts';
import type { InitialMoment } from '../../components/task-fields/schedule-fields.tsx';
import {
  type NewSchedule,
  type NewTask,
  readTask,
  readTiming,
} from '../../components/task-fields/read-task.ts';

type ScheduleChange = NonNullable<Parameters<Client['schedules']['update']>[0]['body']>;
type Read<T> = { body: T } | { problems: FieldProblems };

/** Reads the form of a new schedule. */
export function readNewSchedule(data: FormData): Read<NewSchedule> {
  const { task, timing, policy, problems } = readFields(data);
  if (problems.size > 0) return { problems };
  const name = formText(data, 'name').trim();
  const active = data.get('paused') === null;
  return { body: { ...timing, ...policy, ...(name !== '' && { name }), task, active } as NewSchedule };
}

/** Reads the form of a schedule that exists; what the form does not show stays as it is. */
export function readChange(data: FormData, before: Schedule, shown: InitialMoment): Read<ScheduleChange> {
  const { task, timing, policy, problems, when } = readFields(data);
  if (problems.size > 0) return { problems };
  // The moment of a schedule that is done cannot be sent again.
  const isMoved = timing['timezone'] !== shown.timezone || timing[when] !== shown[when];
  const name = formText(data, 'name').trim() || task.title.slice(0, 200);
  const changed = {
    ...policy,
    ...(isMoved && timing),
    name,
    task: { ...keptOf(before.task, data), ...task },
  };
  return { body: changed as ScheduleChange };
}

function readFields(data: FormData) {
  const when = formText(data, 'when') === 'at' ? ('at' as const) : ('cron' as const);
  const { task, problems } = readTask(data);
  const { timing, problem } = readTiming(data, when);
  if (problem !== undefined) problems.set(when, problem);
  const failures = formText(data, 'maxFailures').trim();
  if (!/^\d{0,4}$/.test(failures)) problems.set('maxFailures', 'Expected a whole number.');
  const policy = {
    overlap: formText(data, 'overlap'),
    catchUp: formText(data, 'catchUp'),
    ...(failures !== '' && { maxFailures: Number(failures) }),
  };
  return { task, timing: timing as Record<string, string>, policy, problems, when };
}

/** The fields of the task that the form does not have. */
function keptOf(task: Schedule['task'], data: FormData): Partial<NewTask> {
  // The form shows the provider as a part of the model, and candidates replace the agent.
  const gone = new Set([
    'envNames',
    'title',
    'provider',
    ...Array.from(data.keys(), (name) => name.split('.')[0]),
  ]);
  if (data.has('bestOf.agents')) gone.add('assignedAgent');
  return Object.fromEntries(Object.entries(task).filter(([name]) => !gone.has(name)));
}

/** The times of a schedule as the form shows them. */
export function momentOf({ cron, at, timezone }: Schedule): InitialMoment {
  return { cron, timezone, at: at && localText(at, timezone) };
}

/** As a field of a date and a time takes it; Swedes write dates like that. */
const localText = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone })
    .format(new Date(at))
    .replace(' ', 'T');

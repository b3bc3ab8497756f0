import { safeParse } from './safe-parse.ts';
import { updateScheduleSchema } from './schedules.ts';

/** What is wrong with a value; undefined where it is valid. */
export type FieldCheck = (value: unknown) => string | undefined;

/** Checks the fields of a schedule and of its task one by one, for people who edit them as text. */
export function scheduleChecks(): Readonly<Record<string, FieldCheck>> {
  const { task, active: _, ...own } = updateScheduleSchema.shape;
  return Object.fromEntries(
    Object.entries({ ...own, ...task.unwrap().shape }).map(([field, schema]): [string, FieldCheck] => [
      field,
      (value) => {
        const { success, error } = safeParse(schema, value);
        return success ? undefined : (error.issues[0]?.message ?? 'Invalid input');
      },
    ]),
  );
}

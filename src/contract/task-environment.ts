import { z } from 'zod';

const MAX_VARIABLES = 200;
/** Together with the command they have to fit into what a process may be started with. */
const MAX_CHARACTERS = 100_000;

/** The name of an environment variable, as shells take it. */
export const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_]\w{0,199}$/, 'Expected the name of a variable: letters, digits and _')
  .refine((name) => !/^SVC_(?:RUN|TASK_ID)$/.test(name), 'svc sets this variable itself');

export const variableValueSchema = z
  .string()
  .max(32_000)
  .regex(/^[^\0]*$/, 'A NUL character cannot be passed on');

/** Environment variables by name. */
export const taskEnvironmentSchema = z
  .record(variableNameSchema, variableValueSchema)
  .refine(
    (variables) => Object.keys(variables).length <= MAX_VARIABLES,
    `Expected at most ${MAX_VARIABLES} variables`,
  )
  .refine(
    (variables) =>
      Object.entries(variables).reduce((sum, [name, value]) => sum + name.length + value.length, 0) <=
      MAX_CHARACTERS,
    `Expected at most ${MAX_CHARACTERS} characters`,
  );
export type TaskEnvironment = z.output<typeof taskEnvironmentSchema>;

/** A change of environment variables: those that are named get the value, or are removed by null; the others stay. */
export const taskEnvironmentPatchSchema = z
  .record(variableNameSchema, variableValueSchema.nullable())
  .refine((variables) => Object.keys(variables).length <= 2 * MAX_VARIABLES, 'Expected fewer variables');
export type TaskEnvironmentPatch = z.output<typeof taskEnvironmentPatchSchema>;

export const umaskSchema = z.int().min(0).max(0o777);

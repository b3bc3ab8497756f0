import vm from 'node:vm';
import type { ValidateFunction } from 'ajv';
import type { CreateTask } from '../../../contract/task.ts';
import { AppError, messageOf } from '../../errors.ts';

type OutputSchema = NonNullable<CreateTask['outputSchema']>;

/** A schema that takes longer to compile is refused, and an answer that takes longer to check does not fit. */
const COMPILE_MS = 3000;
const CHECK_MS = 1000;
const MAX_PROBLEM = 1000;

/** Throws `validation` for a schema that no answer can be checked against. */
export async function checkOutputSchema(schema: OutputSchema): Promise<void> {
  try {
    await compile(schema);
  } catch (error) {
    throw new AppError('validation', 'Validation failed', {
      details: [{ path: 'outputSchema', message: messageOf(error).slice(0, MAX_PROBLEM) }],
      cause: error,
    });
  }
}

/** The JSON of an answer if it fits the schema, else what is wrong with it. */
export async function readOutput(
  schema: OutputSchema,
  output: string,
): Promise<{ json: string } | { problem: string }> {
  const json = withoutFence(output.trim());
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { problem: `it is not JSON: ${messageOf(error)}`.slice(0, MAX_PROBLEM) };
  }
  try {
    const validate = await compile(schema);
    if (bounded(() => validate(value), CHECK_MS)) return { json };
    const [issue] = validate.errors ?? [];
    const problem = `${issue?.instancePath || 'the value'} ${issue?.message ?? 'does not fit'}`;
    return { problem: problem.slice(0, MAX_PROBLEM) };
  } catch (error) {
    // Too deep, or a pattern that backtracks: what cannot be checked does not fit.
    return { problem: `it cannot be checked: ${messageOf(error)}`.slice(0, MAX_PROBLEM) };
  }
}

/** Models like to put JSON into a block of Markdown. */
const withoutFence = (text: string): string =>
  /^```(?:json)?[ \t]*\n([^]*)\n```$/.exec(text)?.[1]?.trim() ?? text;

/** Nothing is loaded from elsewhere: a reference that the schema itself does not resolve is an error. */
async function compile({ $schema = '', ...schema }: OutputSchema): Promise<ValidateFunction> {
  // Its result would be a promise, and every promise is true.
  if (schema['$async'] !== undefined) throw new Error('$async is not supported');
  const isDraft7 = typeof $schema === 'string' && $schema.includes('/draft-07/');
  const Ajv = isDraft7 ? (await import('ajv')).Ajv : (await import('ajv/dist/2020.js')).Ajv2020;
  const ajv = new Ajv({ strict: false, validateFormats: false, addUsedSchema: false, logger: false });
  return bounded(() => ajv.compile(schema), COMPILE_MS);
}

/** Only the watchdog of a script ends a regular expression that backtracks. */
const bounded = <T>(work: () => T, timeout: number): T =>
  new vm.Script('work()').runInContext(vm.createContext({ work }), { timeout }) as T;

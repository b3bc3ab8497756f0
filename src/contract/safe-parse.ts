import { z } from 'zod';

/**
 * `schema.safeParse` for values from outside: it never throws. zod compares the `length` of any object with its limits,
 * and `{ "toString": "x" }` is an object that JavaScript can compare with nothing.
 */
export function safeParse<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  try {
    return schema.safeParse(value);
  } catch (cause) {
    return { success: false, error: issuesWithoutLengths(schema, value) ?? unreadable(cause) };
  }
}

/** What is wrong with the value once no object in it has such a length: the same fields with their paths. */
function issuesWithoutLengths<S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.ZodError<z.output<S>> | undefined {
  try {
    const plain: unknown = JSON.parse(
      JSON.stringify(value, (key, each: unknown) =>
        key === 'length' && typeof each === 'object' ? undefined : each,
      ),
    );
    return schema.safeParse(plain).error;
  } catch {
    // Too deep for the stack, or no JSON: then the first failure is all there is to say.
    return undefined;
  }
}

const unreadable = <T>(cause: unknown): z.ZodError<T> => {
  const error = new z.ZodError([
    { code: 'custom', path: [], message: 'Not a plain JSON value', input: null },
  ]);
  error.cause = cause;
  return error as z.ZodError<T>;
};

import { z } from 'zod';
import { safeParse } from '../contract/safe-parse.ts';
import { ValidationFailure } from './error-table.ts';

/** What Fastify takes for the result of a check; true leaves the part of the request as it is. */
type Validator = (data: unknown) => { value: unknown } | { error: ValidationFailure } | true;

/** Checks a part of a request with its schema. */
export const validate =
  (schema: z.ZodType): Validator =>
  (data) => {
    // Fastify passes a missing body as null.
    const parsed = safeParse(schema, data ?? undefined);
    return parsed.success ? { value: parsed.data } : { error: new ValidationFailure(parsed.error.issues) };
  };

/** The same for headers. A request without any of those that the schema names is not changed: Fastify copies what is. */
export function validateHeaders(schema: z.ZodType): Validator {
  const check = validate(schema);
  const none = safeParse(schema, {});
  const isEmpty = none.success && Object.keys(none.data as object).length === 0;
  if (!(schema instanceof z.ZodObject) || !isEmpty) return check;
  const names = Object.keys(schema.shape);
  return (data) => (names.some((name) => name in (data as object)) ? check(data) : true);
}

import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { errorSchemaOf } from '../contract/error-forms.ts';
import type { Route } from '../contract/route.ts';
import { errorStatusesOf } from '../contract/route-errors.ts';
import { safeParse } from '../contract/safe-parse.ts';

/** Throws where a response does not match the contract for its status. */
export type ResponseCheck = (route: Route, status: number, answer: unknown) => void;

/** Checks every response against the contract, errors too, without extra keys. Too slow for production, so tests use it. */
export const checkResponse: ResponseCheck = (route, status, answer) => {
  const isError = errorStatusesOf(route).some((each) => each === status);
  const schema: z.ZodType | undefined =
    status === (route.status ?? 200)
      ? route.response
      : (route.also?.[status] ?? (isError ? errorSchemaOf(route.path) : undefined));
  const where = `${route.method} ${route.path} ${status}`;
  if (!schema) throw new Error(`${where}: the contract has no such status`);
  const sent: unknown = JSON.parse(JSON.stringify(answer));
  const parsed = safeParse(schema, sent);
  if (!parsed.success) throw new Error(`${where}: ${parsed.error.message}`);
  if (!isDeepStrictEqual(parsed.data, sent))
    throw new Error(`${where}: the answer has keys that the contract does not know: ${JSON.stringify(sent)}`);
};

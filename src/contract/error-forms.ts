import type { z } from 'zod';
import { a2aPath } from './a2a-path.ts';
import { a2aAnswerSchema } from './a2a.ts';
import { mcpPath } from './mcp-path.ts';
import { jsonRpcMessageSchema } from './mcp.ts';
import { openaiErrorSchema } from './openai/error.ts';
import { errorBodySchema } from './primitives.ts';

/** The doors whose errors have a form that another specification fixes, by the path below which they lie. */
export const errorForms = {
  openai: { below: '/v1', schema: openaiErrorSchema },
  mcp: { below: mcpPath, schema: jsonRpcMessageSchema },
  a2a: { below: a2aPath, schema: a2aAnswerSchema },
} as const satisfies Record<string, { below: `/${string}`; schema: z.ZodType }>;
export type ErrorFormName = keyof typeof errorForms;

const entries = Object.entries(errorForms) as [ErrorFormName, (typeof errorForms)[ErrorFormName]][];

/** The form of the errors at a path, which may have a query; undefined where it is the usual one. */
export const errorFormOf = (path: string): ErrorFormName | undefined =>
  entries.find(([, { below }]) => path.startsWith(below) && !/\w/.test(path.charAt(below.length)))?.[0];

/** The schema of the errors of a route. */
export function errorSchemaOf(path: string): z.ZodType {
  const form = errorFormOf(path);
  return form === undefined ? errorBodySchema : errorForms[form].schema;
}

import { z } from 'zod';

const readTypes: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean', 'array']);

/**
 * The JSON schema of a query parameter as the type that it is read as: a number or a list, although it is sent as text.
 * What has no JSON type once it is read, such as a date, is described as it is sent.
 */
export function querySchema(field: z.ZodType): Record<string, unknown> {
  const asRead = jsonSchema(field, 'output');
  return readTypes.has(asRead['type']) ? asRead : jsonSchema(field, 'input');
}

function jsonSchema(field: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(field, { io, unrepresentable: 'any' });
  return schema;
}

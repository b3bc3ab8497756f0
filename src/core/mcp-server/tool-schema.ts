import { z } from 'zod';

/** The schema of a tool for clients, without what only repeats: all tools together stand in the context of a model. */
export function toToolSchema(schema: z.ZodObject, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...short } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // No format of JSON Schema, and its pattern says the same.
      if (jsonSchema.format === 'starts_with') delete jsonSchema.format;
      // The patterns of dates are longer than all the rest.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return short;
}

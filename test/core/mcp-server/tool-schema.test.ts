import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toToolSchema } from '../../../src/core/mcp-server/tool-schema.ts';

describe('the schema of a tool', () => {
  const schema = z.strictObject({
    at: z.iso.datetime(),
    path: z.string().startsWith('/'),
    count: z.int().default(3),
    small: z.int().max(5),
  });

  it('says nothing twice', () => {
    expect(toToolSchema(schema, 'input')).toEqual({
      type: 'object',
      properties: {
        at: { type: 'string', format: 'date-time' },
        path: { type: 'string', pattern: expect.any(String) as string },
        count: { type: 'integer', default: 3 },
        small: { type: 'integer', maximum: 5 },
      },
      required: ['at', 'path', 'small'],
      additionalProperties: false,
    });
  });

  it('of an output requires what has a default', () => {
    expect(toToolSchema(schema, 'output')).toMatchObject({ required: ['at', 'path', 'count', 'small'] });
  });
});

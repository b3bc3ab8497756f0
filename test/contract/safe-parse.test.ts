import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { safeParse } from '../../src/contract/safe-parse.ts';
import { hostileJson } from '../helpers/hostile-json.ts';
import { allRoutes } from '../helpers/routes.ts';
import { fieldsOf } from '../helpers/schema-fields.ts';

const hostile = hostileJson.map((text): unknown => JSON.parse(text));
const incomparable: unknown = JSON.parse('{"length":{"toString":"x"}}');
const parts = ['params', 'query', 'headers', 'body'] as const;

describe('safeParse', () => {
  it('names the field whose length cannot be compared', () => {
    const schema = z.object({ email: z.string().max(10), name: z.string().max(10) });
    const { error } = safeParse(schema, { email: incomparable, name: 1 });
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['email', 'name']);
  });

  it('accepts such a value where any JSON is accepted', () => {
    expect(safeParse(z.object({ meta: z.json() }), { meta: incomparable })).toEqual({
      success: true,
      data: { meta: incomparable },
    });
  });

  it('refuses what a check of ours throws on', () => {
    const schema = z.string().transform((): string => {
      throw new Error('a check that fails');
    });
    expect(safeParse(schema, 'x').error?.issues).toMatchObject([{ message: 'Not a plain JSON value' }]);
  });

  it('refuses a value that is too deep to walk', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(safeParse(z.json(), deep).success).toBe(false);
  });

  it.each(allRoutes)('reads every field of $name, whatever is in it', ({ route }) => {
    for (const part of parts) {
      const schema = route[part];
      if (!schema) continue;
      for (const { path, around } of fieldsOf(schema))
        for (const value of hostile) {
          const { success, error } = safeParse(schema, around(value));
          expect(success || error?.issues.length, `${part} ${path}`).toBeTruthy();
        }
    }
  });
});

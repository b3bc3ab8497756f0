import { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';

/** A string; anything else becomes an empty string. */
export const textSchema = z.string().catch('');

/** A list that leaves out entries that do not match the schema. */
export const listOf = <T extends z.ZodType>(entry: T) =>
  z.array(z.unknown()).transform((entries) =>
    entries.flatMap((each) => {
      const parsed = safeParse(entry, each);
      return parsed.success ? [parsed.data] : [];
    }),
  );

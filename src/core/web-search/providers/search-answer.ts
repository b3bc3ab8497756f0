import { z } from 'zod';

/** A text that may be missing, or be something else. */
export const textSchema = z.string().catch('');

/** A list whose entries are read one by one: those of another shape are left out. */
export const listOf = <T extends z.ZodType>(entry: T) =>
  z.array(z.unknown()).transform((entries) =>
    entries.flatMap((each) => {
      const parsed = entry.safeParse(each);
      return parsed.success ? [parsed.data] : [];
    }),
  );

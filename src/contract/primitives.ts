import { z } from 'zod';

/** ISO 8601 in UTC with milliseconds. */
export const timestampSchema = z.iso.datetime().meta({ description: 'ISO 8601 UTC with milliseconds' });

/** A date or a time of a filter: `YYYY-MM-DD` or ISO 8601; parsed to ISO 8601 in UTC. */
export const momentSchema = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'Expected an ISO 8601 date-time or YYYY-MM-DD',
  })
  .transform((text) => new Date(text).toISOString());

export const timeZoneSchema = z
  .string()
  .max(100)
  .refine(isTimeZone, 'Expected an IANA time zone such as Europe/Berlin');

/** A whole number in a query string. */
export const queryInt = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'Expected a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));

/** A number in a query string. */
export const queryNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}(\.\d{1,15})?$/, 'Expected a number such as 0.5')
    .transform(Number)
    .pipe(z.number().min(min).max(max));

/** A comma-separated list in a query string, each part checked by `item`. */
export const commaList = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .max(10_000)
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .pipe(z.array(item));

export const limitSchema = (fallback: number, max = 500) => queryInt(1, max).default(fallback);
export const offsetSchema = queryInt(0, 1_000_000_000);

/** What every list answers beside its items. */
export const pageFields = { total: z.int(), limit: z.int(), offset: z.int() };
/** The query of a list that is short. */
export const pageQuerySchema = z.object({
  limit: queryInt(1, 500).optional().meta({ description: 'All items unless given' }),
  offset: offsetSchema.default(0),
});

export const idParamsSchema = z.object({ id: z.string().min(1).max(200) });

export const errorDetailSchema = z.object({ path: z.string(), message: z.string() });
export const errorBodySchema = z
  .object({
    error: z.string(),
    details: z.array(errorDetailSchema).optional(),
    requestId: z.string().optional(),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.output<typeof errorBodySchema>;
export type ErrorDetail = z.output<typeof errorDetailSchema>;

export const messageSchema = z.object({ message: z.string() });

/** Sentences about what was accepted nevertheless. */
export const warningsSchema = z
  .array(z.string())
  .meta({ description: 'What to know about what was accepted' });

/** An object with arbitrary keys, such as the metadata of a task. */
export const jsonObjectSchema = z.record(z.string(), z.json());

function isTimeZone(name: string): boolean {
  // The runtime also accepts offsets such as +01:00, which have no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const gitRef = /^(?![-/]|.*(?:\/\/|\.\.|@\{|\/\.|\.lock(?:\/|$)))(?!@$)[^\p{Cc} ~^:?*[\\]+(?<![/.])$/u;

/** The name of a branch. */
export const branchSchema = z.string().max(255).regex(gitRef, 'Not a valid git ref');

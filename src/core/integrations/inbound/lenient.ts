import { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';
import { AppError } from '../../errors.ts';

/** Removes NUL and lone surrogates, and normalizes line endings. */
export const cleanText = (text: string): string =>
  // Most texts have none of them, and a look is faster than a rewrite.
  (mayNeedCleaning(text) ? text.replaceAll('\0', '').replaceAll('\r\n', '\n') : text).toWellFormed();

const mayNeedCleaning = (text: string): boolean => text.includes('\0') || text.includes('\r');

export const text = z.string().transform(cleanText);
/** A non-blank name. */
export const name = text.refine((said) => said.trim() !== '');
/** A vendor's event name, with a fallback that matches no rule. */
export const eventName = name.catch('unnamed event');
export const id = z.union([name, z.number().transform(String)]);

/** Absent, null and wrongly typed values become undefined, so that one odd field does not invalidate the delivery. */
export const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** The valid entries of a list; empty if the value is not a list. */
export const listOf = <T extends z.ZodType>(schema: T) =>
  z
    .array(maybe(schema))
    .catch([])
    .transform((entries) => entries.filter((entry) => entry !== undefined));

export function readDelivery<T>(schema: z.ZodType<T>, payload: unknown, vendor: string): T {
  const read = safeParse(schema, payload);
  if (!read.success) throw new AppError('validation', `This is no delivery of ${vendor}`);
  return read.data;
}

/** Compares names case-insensitively, as vendors do. */
export const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && one.toLowerCase() === other?.toLowerCase();
export const includesName = (names: readonly string[], name: string | undefined): boolean =>
  names.some((one) => isSame(one, name));

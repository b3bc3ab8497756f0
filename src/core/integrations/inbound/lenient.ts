import { z } from 'zod';
import { AppError } from '../../errors.ts';

/** Text as it is kept: without NUL and halves of characters, and with the line ends of Unix. */
export const cleanText = (text: string): string =>
  text.replaceAll('\0', '').replaceAll('\r\n', '\n').toWellFormed();

export const text = z.string().transform(cleanText);
/** Text that names something, which a blank does not. */
export const name = text.refine((said) => said.trim() !== '');
/** What a vendor calls what happened; where it says nothing, nothing is asked for. */
export const eventName = name.catch('unnamed event');
export const id = z.union([name, z.number().transform(String)]);

/** What is absent, null or of another type is undefined, so that one odd field does not cost the delivery. */
export const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** The entries that fit; nothing where there is no list. */
export const listOf = <T extends z.ZodType>(schema: T) =>
  z
    .array(maybe(schema))
    .catch([])
    .transform((entries) => entries.filter((entry) => entry !== undefined));

export function readDelivery<T>(schema: z.ZodType<T>, payload: unknown, vendor: string): T {
  const read = schema.safeParse(payload);
  if (!read.success) throw new AppError('validation', `This is no delivery of ${vendor}`);
  return read.data;
}

/** Names as vendors compare them. */
export const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && one.toLowerCase() === other?.toLowerCase();
export const includesName = (names: readonly string[], name: string | undefined): boolean =>
  names.some((one) => isSame(one, name));

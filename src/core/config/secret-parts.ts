import { AppError } from '../errors.ts';

/** What is shown instead of a secret. */
export const mask = '••••••••';

/** Which parts of the entries of a setting hold secrets, such as the headers of each server. */
export interface SecretParts {
  /** The fields of an entry that are a secret or hold some by name; `entries` where each entry is a secret itself. */
  names: readonly string[] | 'entries';
  /** Where the secrets of an entry go: only as long as that stays the same does a mask stand for what was there. */
  destination?(entry: unknown): string;
}

type Replace = (secret: string, path: readonly [entry: string, ...inner: string[]]) => string;

/** The value with each of its secrets replaced. */
export function mapSecrets(value: unknown, { names }: SecretParts, replace: Replace): unknown {
  return mapObject(value, (entry, of) => {
    if (names === 'entries') return typeof entry === 'string' ? replace(entry, [of]) : entry;
    return mapObject(entry, (part, field) => {
      if (!names.includes(field)) return part;
      if (typeof part === 'string') return replace(part, [of, field]);
      return mapObject(part, (secret, name) =>
        typeof secret === 'string' ? replace(secret, [of, field, name]) : secret,
      );
    });
  });
}

/** The value with the masks replaced by the secrets of `before`, as clients send them back. */
export function unmask(value: unknown, before: unknown, parts: SecretParts): unknown {
  return mapSecrets(value, parts, (secret, path) => {
    if (secret !== mask) return secret;
    const [entry] = path;
    const known = valueAt(before, path);
    const isMoved =
      parts.destination !== undefined &&
      parts.destination(valueAt(value, [entry])) !== parts.destination(valueAt(before, [entry]));
    if (typeof known === 'string' && !isMoved) return known;
    throw new AppError('validation', `${path.join('.')} has to be given again: it is for another place now`);
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapObject = (value: unknown, change: (inner: unknown, key: string) => unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)]))
    : value;

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce(
    (inner: unknown, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );

const REPLACEMENT = '\ufffd';

/**
 * A text as every engine stores it: PostgreSQL has no NUL, and neither knows half of a surrogate pair. Both become U+FFFD,
 * so that nothing that was apart runs together, and a search for such a text finds no other.
 */
export const storableText = (text: string): string =>
  // Nearly all texts are fine, and a look is faster than a copy.
  text.includes('\0')
    ? text.replaceAll('\0', REPLACEMENT).toWellFormed()
    : text.isWellFormed()
      ? text
      : text.toWellFormed();

/** The same for the values of a statement, which are left as they are where nothing has to change. */
export function storableValues<T extends readonly unknown[]>(values: T): T {
  let changed: unknown[] | undefined;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    const stored = storable(value);
    if (stored !== value) (changed ??= [...values])[at] = stored;
  }
  return (changed as T | undefined) ?? values;
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  return Array.isArray(value) ? storableValues(value) : value;
}

/** A value as JSON that queries can read. */
export const storableJson = (value: object): string => storableJsonText(JSON.stringify(value));

/** The same of JSON that `JSON.stringify` has made: in it, NUL and halves of surrogate pairs hide behind escapes. */
export function storableJsonText(json: string): string {
  if (!json.includes(String.raw`\u0000`) && !json.includes(String.raw`\ud`)) return json;
  // `JSON.stringify` escapes no surrogate that has its other half. An escaped backslash is one match, so that what follows
  // it is none.
  return json.replace(/\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escape, code: string) =>
    code.length > 1 ? REPLACEMENT : escape,
  );
}

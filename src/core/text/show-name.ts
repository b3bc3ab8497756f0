const MAX_QUOTED = 200;

/** A name on a line of its own: what would break the line or cannot be seen is spelled out. */
export const showName = (name: string): string =>
  name.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );

/** The beginning of a text of a model, for a sentence about it. */
export const quoteText = (text: string): string =>
  `"${showName(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)}"`;

const MAX_QUOTED = 200;

/** Escapes line breaks, control and invisible characters, so that a name stays on one line and shows all it contains. */
export const escapeInvisible = (name: string): string =>
  name.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );

/** Quotes the beginning of untrusted text for use in a message. */
export const quoteText = (text: string): string =>
  `"${escapeInvisible(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)}"`;

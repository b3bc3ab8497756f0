/**
 * Control characters but tab and newline, format characters such as bidi controls, and everything that renderers may leave out;
 * emoji need the joiner and their selectors. What people decide on is stricter: `visibleText`.
 */
const unsafe = /(?!\n|\t|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Makes control and bidi characters visible, so that data cannot steer a terminal or mislead a reader; newlines and tabs stay. */
export const escapeText = (text: string): string => text.replace(unsafe, escapeCharacter);

/** The same for a text that must stay on one line. */
export const escapeLine = (text: string): string =>
  escapeText(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`);

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === '\r') return String.raw`\r`;
  return code < 0x100
    ? String.raw`\x${code.toString(16).padStart(2, '0')}`
    : String.raw`\u{${code.toString(16)}}`;
}

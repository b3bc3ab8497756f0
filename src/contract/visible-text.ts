/**
 * What a person cannot see, or takes for something else: control, format, private and unassigned characters, blanks other
 * than the space, everything that renderers may leave out, and the few letters and symbols that have no ink.
 */
const unseen = String.raw`(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]`;
const hidden = new RegExp(unseen, 'gu');
/** Blanks that nothing follows on their line. */
const trailing = /(?<! ) +(?=\n|$)/g;
/** Backslashes that could be taken for the beginning of an escape of ours. */
const ambiguous = (more: string) =>
  new RegExp(String.raw`(?<!\\)\\+(?!\\)(?=x[\da-fA-F]{2}|u\{| +(?:\n|$)|${unseen}${more})`, 'gu');
const inText = ambiguous('');
const inLine = ambiguous(String.raw`|n|\n`);

/**
 * The text with everything escaped that a person would not see, such as `\u{200b}`; line feeds stay. No two texts come out
 * the same: backslashes that could be taken for an escape are doubled. For every text that a person decides on.
 */
export const visibleText = (text: string): string => escape(text, inText);

/** The same on one line. */
export const visibleLine = (text: string): string => escape(text, inLine).replaceAll('\n', String.raw`\n`);

const escape = (text: string, backslashes: RegExp): string =>
  text
    .replace(backslashes, (run) => run + run)
    .replace(hidden, escapeCharacter)
    .replace(trailing, (blanks) => String.raw`\x20`.repeat(blanks.length));

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length < 3 ? String.raw`\x${code.padStart(2, '0')}` : String.raw`\u{${code}}`;
}

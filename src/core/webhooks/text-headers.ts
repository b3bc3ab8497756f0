import type { TextMessage } from './describe-delivery.ts';

/** An encoded word has at most 75 characters, twelve of which are `=?UTF-8?B?` and `?=`. */
const MAX_WORD_BYTES = 45;

/** The headers of a plain text message, as ntfy reads them. */
export const textHeaders = ({ title, priority, tag, link }: TextMessage): Record<string, string> => ({
  'content-type': 'text/plain; charset=utf-8',
  title: encodeHeader(title),
  priority,
  tags: tag,
  ...(link !== undefined && { click: encodeHeader(new URL(link).href) }),
});

/** A header value in ASCII: anything else is encoded as RFC 2047 says, and control characters become blanks. */
export function encodeHeader(text: string): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  // What looks encoded already would be decoded.
  if (/^[\x20-\x7e]*$/.test(clean) && !clean.includes('=?')) return clean;
  return wordsOf(clean)
    .map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`)
    .join(' ');
}

/** Pieces of whole characters that are short enough for one encoded word. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (word !== '' && Buffer.byteLength(word + character) > MAX_WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word];
}

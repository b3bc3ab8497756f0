const TITLE_LENGTH = 60;
const characters = new Intl.Segmenter();

/** The title that the first message gives a conversation. */
export function titleOf(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TITLE_LENGTH * 20);
  return Array.from(characters.segment(line), ({ segment }) => segment)
    .slice(0, TITLE_LENGTH)
    .join('')
    .trim();
}

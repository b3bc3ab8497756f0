const TITLE_LETTERS = 80;

/** The first line of a prompt, as long as a title may be. */
export function titleOf(prompt: string): string {
  const line = prompt.trim().split('\n')[0]?.trim() ?? '';
  const letters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  return letters.length <= TITLE_LETTERS ? line : `${letters.slice(0, TITLE_LETTERS - 1).join('')}…`;
}

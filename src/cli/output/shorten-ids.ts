import type { Output } from './output.ts';

/** IDs that are created at the same time begin alike; they end with random characters. */
const LAST = 8;

/** The end of an ID, which commands accept where it is unique. */
export const shortId = (id: string): string => id.slice(-LAST);

/** Shortens IDs on a terminal to their last characters, more where the rows need them to differ; whole elsewhere. */
export function idShortener(
  { isTerminal }: Pick<Output, 'isTerminal'>,
  rows: readonly { id: string }[],
): (id: string) => string {
  if (!isTerminal) return (id) => id;
  let length = LAST;
  const longest = Math.max(0, ...rows.map(({ id }) => id.length));
  const isUnique = () => new Set(rows.map(({ id }) => id.slice(-length))).size === rows.length;
  while (length < longest && !isUnique()) length += 1;
  return (id) => id.slice(-length).replace(/^-/, '');
}

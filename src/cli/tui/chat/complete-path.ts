/** How many paths are offered. */
const MOST_CHOICES = 50;

/** The path that is being written at the cursor, after an `@`; undefined where there is none. */
export function pathAt(text: string, cursor: number): { start: number; path: string } | undefined {
  const match = /(?:^|\s)@([^\s"]*)$/.exec(text.slice(0, cursor));
  const path = match?.[1];
  return path === undefined ? undefined : { start: cursor - path.length, path };
}

/** The paths that are meant most likely: those that start so, then those whose name does, then those that contain it. */
export function matchPaths(paths: readonly string[], written: string): string[] {
  const word = written.toLowerCase();
  const ranked: string[][] = [[], [], [], []];
  for (const path of paths) {
    const rank = rankOf(path.toLowerCase(), word);
    if (rank !== undefined) ranked[rank]?.push(path);
  }
  return ranked.flat().slice(0, MOST_CHOICES);
}

function rankOf(path: string, word: string): number | undefined {
  if (path.startsWith(word)) return 0;
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  if (name.startsWith(word)) return 1;
  if (path.includes(word)) return 2;
  // As people abbreviate: "cha" means "chat-app.tsx".
  let at = -1;
  for (const letter of word) if ((at = path.indexOf(letter, at + 1)) < 0) return undefined;
  return 3;
}

/** How a path is written after the `@`. */
export const writtenPath = (path: string): string => (/[\s"]/.test(path) ? `"${path}"` : path);

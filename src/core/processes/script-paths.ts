import { openVerified } from '../paths/open-verified.ts';

/** A longer one is a program of its own, not a wrapper around another one. */
const MAX_BYTES = 64 * 1024;

/** The absolute paths that a short script names, such as the program that a wrapper starts; none of another file. */
export async function pathsInScript(path: string): Promise<string[]> {
  await using file = await openVerified(path);
  const { size } = await file.stat();
  if (size > MAX_BYTES) return [];
  const text = await file.readFile('utf8');
  if (!text.startsWith('#!')) return [];
  return [...new Set(text.match(/\/[^\s"'`$;|&()<>=:,*?]+/g))];
}

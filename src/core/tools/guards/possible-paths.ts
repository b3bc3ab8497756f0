import { MAX_PATH } from '../../paths/real-path.ts';
import { textVariants } from './path-variants.ts';

/** A part of a word that a program may open. */
export interface PossiblePath {
  path: string;
  /**
   * `path`: in a position where programs expect a path. `text`: within other text, so a slash does not imply a path.
   * `url`: a network address, unless a directory has that name.
   */
  as: 'path' | 'text' | 'url';
}

const MAX_POSSIBLE = 2000;
/** A URL with a host, of a scheme that does not refer to files. */
const NETWORK_URL =
  /\b(?!(?:file|jar|zip|unix|sqlite|local|dir|path):)[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/'",;<>](?:(?!:\/(?!\/))[^\s'",;<>])*/gi;

/** All paths that a word may contain, such as both in a=b:c; undefined if there are too many to check. */
export function possiblePaths(word: string): PossiblePath[] | undefined {
  const found = new Map<string, PossiblePath['as']>();
  for (const variant of textVariants(word)) {
    const local = variant.replace(NETWORK_URL, ' ');
    const isUrl = local !== variant;
    if (isUrl && variant.length <= MAX_PATH) found.set(variant, 'url');
    for (const { path, as } of pathsIn(local)) {
      // Longer paths cannot be opened, and a lone ~ is a home only where a path is expected.
      if (path === '' || path.length > MAX_PATH || (isUrl && path === local)) continue;
      if (as === 'text' && (path === '~' || found.has(path))) continue;
      found.set(path, as);
      if (found.size > MAX_POSSIBLE) return undefined;
    }
  }
  return [...found].map(([path, as]) => ({ path, as }));
}

/** A text that can only be a path as a whole, in all its variants. */
export function wholePath(text: string, as: 'path' | 'text'): PossiblePath[] {
  if (text === '' || text.length > MAX_PATH || (as === 'text' && text === '~')) return [];
  return textVariants(text).map((path) => ({ path, as: path.search(NETWORK_URL) === 0 ? 'url' : as }));
}

function* pathsIn(word: string): Generator<PossiblePath> {
  yield { path: word, as: 'path' };
  for (const { index } of word.matchAll(/[=:,;@]/g)) yield { path: word.slice(index + 1), as: 'path' };
  for (const path of word.split(/[=:,;@]/)) yield { path, as: 'path' };
  for (const path of word.split(/[\s"'`<>(){}]+/)) yield { path, as: 'text' };
  if (!/^-[A-Za-z]/.test(word)) return;
  // A value may follow its option letter directly, as in -Isrc/x; after several letters, as in -xzf/x, it is ambiguous.
  yield { path: word.slice(2), as: 'path' };
  for (let at = 3; at <= 8; at++) yield { path: word.slice(at), as: 'text' };
}

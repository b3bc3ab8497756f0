import { MAX_PATH } from '../../paths/real-path.ts';
import { spellingsOf } from './path-spellings.ts';

/** A part of a word that a program may open. */
export interface PossiblePath {
  path: string;
  /**
   * `path`: where programs look for one. `text`: among other words, so that not everything with a slash is meant.
   * `url`: an address on the network, unless a folder is called so.
   */
  as: 'path' | 'text' | 'url';
}

const MAX_POSSIBLE = 2000;
/** An address with a host, of a scheme that is not about files. */
const NETWORK_URL =
  /\b(?!(?:file|jar|zip|unix|sqlite|local|dir|path):)[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/'",;<>](?:(?!:\/(?!\/))[^\s'",;<>])*/gi;

/** All paths that a word may hold, such as both of a=b:c; undefined where they are too many to look at. */
export function possiblePaths(word: string): PossiblePath[] | undefined {
  const found = new Map<string, PossiblePath['as']>();
  for (const spelling of spellingsOf(word)) {
    const local = spelling.replace(NETWORK_URL, ' ');
    const isUrl = local !== spelling;
    if (isUrl && spelling.length <= MAX_PATH) found.set(spelling, 'url');
    for (const { path, as } of pathsIn(local)) {
      // Nothing longer can be opened, and ~ alone is a home only where a path is expected.
      if (path === '' || path.length > MAX_PATH || (isUrl && path === local)) continue;
      if (as === 'text' && (path === '~' || found.has(path))) continue;
      found.set(path, as);
      if (found.size > MAX_POSSIBLE) return undefined;
    }
  }
  return [...found].map(([path, as]) => ({ path, as }));
}

/** A text as nothing but a path, in all its spellings. */
export function wholePath(text: string, as: 'path' | 'text'): PossiblePath[] {
  if (text === '' || text.length > MAX_PATH || (as === 'text' && text === '~')) return [];
  return spellingsOf(text).map((path) => ({ path, as: path.search(NETWORK_URL) === 0 ? 'url' : as }));
}

function* pathsIn(word: string): Generator<PossiblePath> {
  yield { path: word, as: 'path' };
  for (const { index } of word.matchAll(/[=:,;@]/g)) yield { path: word.slice(index + 1), as: 'path' };
  for (const path of word.split(/[=:,;@]/)) yield { path, as: 'path' };
  for (const path of word.split(/[\s"'`<>(){}]+/)) yield { path, as: 'text' };
  if (!/^-[A-Za-z]/.test(word)) return;
  // A value may stand directly behind its letter; behind several, as in -xzf/x, it may as well be -Isrc/x.
  yield { path: word.slice(2), as: 'path' };
  for (let at = 3; at <= 8; at++) yield { path: word.slice(at), as: 'text' };
}

import { MAX_PATH } from '../files/real-path.ts';
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
  /\b(?!(?:file|jar|zip|unix|sqlite|local|dir|path):)[a-z][a-z0-9+.-]*:\/\/[^\s/'",;<>](?:(?!:\/(?!\/))[^\s'",;<>])*/gi;

/** All paths that a word may hold, such as both of -Iinclude and a=b:c; undefined where they are too many to look at. */
export function possiblePaths(word: string): PossiblePath[] | undefined {
  const found = new Map<string, PossiblePath['as']>();
  for (const spelling of spellingsOf(word)) {
    const local = spelling.replace(NETWORK_URL, ' ');
    const isUrl = local !== spelling;
    if (isUrl) found.set(spelling, 'url');
    for (const path of inPathPositions(local)) {
      if (isUrl && path === local) continue;
      found.set(path, 'path');
      if (found.size > MAX_POSSIBLE) return undefined;
    }
    for (const path of local.split(/[\s"'`<>(){}]+/)) {
      if (!found.has(path)) found.set(path, 'text');
      if (found.size > MAX_POSSIBLE) return undefined;
    }
  }
  // Nothing longer can be opened.
  return [...found]
    .map(([path, as]) => ({ path, as }))
    .filter(({ path }) => path !== '' && path.length <= MAX_PATH);
}

function* inPathPositions(word: string): Generator<string> {
  yield word;
  for (const { index } of word.matchAll(/[=:,;@]/g)) yield word.slice(index + 1);
  yield* word.split(/[=:,;@]/);
  if (!/^-[A-Za-z]/.test(word)) return;
  // A value may stand directly behind its letter, and letters may stand together.
  for (let at = 2; at <= 8; at++) yield word.slice(at);
  const letters = /^-[A-Za-z]+(?=[/~.])/.exec(word);
  if (letters) yield word.slice(letters[0].length);
}

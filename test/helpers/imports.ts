import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const root = new URL('../..', import.meta.url).pathname;
/** Also `import type`, `export … from` and `import()`. */
const SPECIFIER = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.[^']+)'/g;

export interface Import {
  /** Both from the root of the repository, such as `src/core/app.ts`. */
  from: string;
  to: string;
}

/** Every import between the files below a folder, types included. */
export function importsBelow(folder: string): Import[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }).flatMap((from) =>
    importsIn(from, readFileSync(`${root}${from}`, 'utf8')),
  );
}

/** The relative imports of one file. */
export const importsIn = (from: string, text: string): Import[] =>
  [...text.matchAll(SPECIFIER)].map(([, specifier = '']) => ({
    from,
    to: posix.join(posix.dirname(from), specifier),
  }));

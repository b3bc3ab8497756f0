import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const dist: string = join(import.meta.dirname, '../../dist');

/** The files of the bundle that Node.js loads as modules. */
export const chunks = (): string[] => readdirSync(dist).filter((name) => name.endsWith('.js'));

/** The chunk that holds a source, such as `src/daemon/start.ts`. */
export function chunkOf(source: string): string {
  const found = chunks().find((chunk) => sourcesOf(chunk).includes(source));
  if (found === undefined) throw new Error(`no chunk holds ${source}`);
  return found;
}

/** A chunk and all that are loaded with it. */
export function loadedWith(chunk: string, known = new Set<string>()): Set<string> {
  if (known.has(chunk)) return known;
  known.add(chunk);
  const text = readFileSync(join(dist, chunk), 'utf8');
  for (const [, target = ''] of text.matchAll(/\b(?:import|from)"\.\/([^"]+\.js)"/g))
    loadedWith(target, known);
  return known;
}

/** The packages with code in chunks. */
export const packagesIn = (names: Iterable<string>): string[] => [
  ...new Set(
    [...names]
      .flatMap(sourcesOf)
      .flatMap((source) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []),
  ),
];

function sourcesOf(chunk: string): string[] {
  const file = join(dist, `${chunk}.map`);
  // A chunk that only passes on what another holds has no map.
  if (!existsSync(file)) return [];
  const { sources } = JSON.parse(readFileSync(file, 'utf8')) as { sources: string[] };
  return sources.map((source) =>
    source.replace(/^(\.\.\/)+/, '').replace(/^.*\/node_modules\//, 'node_modules/'),
  );
}

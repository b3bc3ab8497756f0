import { type Import, importsBelow } from './imports.ts';

/** The files below `test` that import one of these, be it through others below `test`. */
export function testsThatImport(helpers: readonly string[]): Set<string> {
  const importers = Map.groupBy(
    importsBelow('test').filter(({ from }: Import) => from.startsWith('test/')),
    ({ to }) => to,
  );
  const found = new Set(helpers);
  // What is added meanwhile is looked at as well.
  for (const file of found) for (const { from } of importers.get(file) ?? []) found.add(from);
  return found;
}

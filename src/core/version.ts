import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this svc, from its package.json. */
export const version: string = readVersion();

function readVersion(): string {
  // The sources and the bundle are at different depths below it.
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error('svc has no package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

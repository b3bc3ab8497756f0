const { findPackageJSON } = process.getBuiltinModule('node:module');
const { hostname } = process.getBuiltinModule('node:os');
const { readFileSync } = process.getBuiltinModule('node:fs');

/** The version of this svc, from its package.json. */
export function readVersion(): string {
  // The sources and the bundle are at different depths below it.
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error('svc has no package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** The client name in the list of sessions. */
export const userAgent = (): string => `svc/${readVersion()} (${hostname()})`;

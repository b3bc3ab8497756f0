const { hostname } = process.getBuiltinModule('node:os');
const { readFileSync } = process.getBuiltinModule('node:fs');

/** The version of this svc, from its package.json. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The client name in the list of sessions. */
export const userAgent = (): string => `svc/${readVersion()} (${hostname()})`;

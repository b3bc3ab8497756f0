import type { Platform } from '../../contract/locations.ts';

const { homedir } = process.getBuiltinModule('node:os');
const path = process.getBuiltinModule('node:path');

/** The environment of this process; no other module of the CLI reads it. */
export function readEnvironment(): Platform {
  const env = { ...process.env };
  // The daemon runs in another directory, where a relative path would differ.
  if (env['SVC_HOME']) env['SVC_HOME'] = path.resolve(env['SVC_HOME']);
  return { env, platform: process.platform, home: homedir() };
}

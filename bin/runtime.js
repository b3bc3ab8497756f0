// Finds a Node.js new enough for svc: this one, or the one that npm installed beside us.
// No dependencies and plain syntax: this file must run on the old Node.js that it replaces.
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** The oldest Node.js that runs the program itself. */
export const oldestNode = '24.15';
const need = oldestNode.split('.').map(Number);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** True when the running Node.js is new enough. */
export const isCurrent = major > need[0] || (major === need[0] && minor >= need[1]);

/** The path of a Node.js that can run svc; ends the process with the remedy when there is none. */
export function findRuntime() {
  if (isCurrent) return process.execPath;
  // npm 10 deletes the .bin link when two optional packages own the name "node", so the package is resolved instead.
  const name = `node-${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node`);
  } catch {
    console.error(
      `svc needs Node.js ${oldestNode} or newer; this is ${process.version}, and the package ${name} is not installed.\n` +
        'Install Node.js 24, or run "npm install" without --omit=optional.',
    );
    process.exit(78);
  }
}

/** PATH with the folder of that runtime first. */
export const pathWith = (runtime) => dirname(runtime) + delimiter + process.env.PATH;

/** Where compiled code is kept between starts; undefined for a user without a home. */
export function cacheDirectory({ XDG_CACHE_HOME, HOME }, platform) {
  if (platform !== 'darwin' && XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'svc');
  return HOME?.startsWith('/')
    ? join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache', 'svc')
    : undefined;
}

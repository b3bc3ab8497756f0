// Restores a backup and kills itself with SIGKILL before its nth change of the disk or report of progress; without n, says how
// many there are. With a URL it restores into PostgreSQL.
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { locate } from '../../../src/contract/locations.ts';

const [root = '', file = '', killAt = '0', url] = process.argv.slice(2);
let isLoaded = false;
let calls = 0;
const count = () => {
  if (!isLoaded) return;
  calls++;
  if (calls === Number(killAt)) process.kill(process.pid, 'SIGKILL');
};

/** Counts the calls of a function of the file system. */
function watch(module: object, name: string): void {
  const original = Reflect.get(module, name) as (...args: unknown[]) => unknown;
  Reflect.set(module, name, (...args: unknown[]) => {
    count();
    return Reflect.apply(original, module, args);
  });
}
for (const name of [
  'renameSync',
  'rmSync',
  'mkdirSync',
  'writeSync',
  'openSync',
  'copyFileSync',
  'fsyncSync',
])
  watch(fs, name);
for (const name of ['open', 'mkdir']) watch(promises, name);
syncBuiltinESMExports();

const env = {
  XDG_CONFIG_HOME: `${root}/config`,
  XDG_DATA_HOME: `${root}/data`,
  XDG_STATE_HOME: `${root}/state`,
};
const { restoreHome } = await import('../../../src/core/backup/restore-home.ts');
const { restoreCluster } = await import('../../../src/core/backup/restore-cluster.ts');
const options = {
  file,
  locations: locate({ env, platform: 'linux', home: root }),
  version: '0.1.0',
  now: new Date('2026-11-23T08:30:00Z'),
};
isLoaded = true;
if (url === undefined) await restoreHome(options);
else await restoreCluster({ ...options, server: { url, prepared: true }, onProgress: count });
process.stdout.write(String(calls));

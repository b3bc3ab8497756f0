import { chmodSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseMasterSeed } from '../../../contract/master-seed.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { isSeedOf } from '../devices/identity-check.ts';
import { readFileIfPresent, readJsonFile } from '../../input/json-file.ts';
import type { Check } from './check.ts';

const MIB = 2 ** 20;
const LITTLE_MIB = 1024;
const TOO_LITTLE_MIB = 100;
/** The oldest Node.js that runs svc; the launcher looks for one. */
export const oldestNode = '24.15';
/** The permission bits of group and others. */
const OTHERS = 0o077;

/** The checks that need no daemon. */
export const localChecks = (cli: Cli, mayFix: boolean): Check[] => [
  checkNode(),
  checkSettings(cli),
  checkModes(cli, mayFix),
  checkIdentity(cli),
  checkDisk(cli),
];

function checkNode(): Check {
  const isEnough = process.versions.node.localeCompare(oldestNode, 'en', { numeric: true }) >= 0;
  return isEnough
    ? { name: 'node', status: 'ok', message: `Node.js ${process.versions.node}` }
    : {
        name: 'node',
        status: 'fail',
        message: `Node.js ${process.versions.node} is older than ${oldestNode}`,
        next: 'Install Node.js 24.',
      };
}

function checkSettings({ locations: { settingsFile } }: Cli): Check {
  try {
    const settings = readJsonFile(settingsFile);
    const isObject = typeof settings === 'object' && settings !== null && !Array.isArray(settings);
    if (settings === undefined)
      return { name: 'settings', status: 'ok', message: `Defaults; ${settingsFile} does not exist` };
    if (isObject) return { name: 'settings', status: 'ok', message: settingsFile };
    return {
      name: 'settings',
      status: 'fail',
      message: `${settingsFile} is not a JSON object`,
      next: `Edit ${settingsFile}`,
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { name: 'settings', status: 'fail', message: error.message, next: `Edit ${settingsFile}` };
  }
}

/** Directories and files with secrets must be accessible to their owner only. */
function checkModes({ locations }: Cli, mayFix: boolean): Check {
  const folders = [...new Set([locations.data, locations.config, locations.state])];
  const open = folders.flatMap((folder) => [folder, ...filesIn(folder)]).filter(isOpen);
  if (open.length === 0) return { name: 'modes', status: 'ok', message: 'Only you can read the data' };
  if (mayFix) {
    for (const path of open) chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
    return { name: 'modes', status: 'ok', message: `Fixed: ${open.join(', ')}` };
  }
  const isReachable = open.some((path) => folders.includes(path));
  return {
    name: 'modes',
    status: isReachable ? 'fail' : 'warn',
    message: `Other users can read ${open.join(', ')}${isReachable ? '' : ', if they can enter the directory'}`,
    next: 'Fix it: svc doctor --fix',
  };
}

function filesIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name));
}

function isOpen(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (stat.mode & OTHERS) !== 0;
}

const restoreHint = 'Restore it: svc devices identity --restore';

/** Without the identity the secrets in the database cannot be read. */
function checkIdentity({ locations: { identityFile, databaseFile } }: Cli): Check {
  const name = 'identity';
  const next = restoreHint;
  const content = readFileIfPresent(identityFile);
  if (content !== undefined) {
    const seed = parseMasterSeed(content);
    if (!seed) return { name, status: 'fail', message: `${identityFile} is not a valid identity file`, next };
    return checkSeed(databaseFile, seed, identityFile);
  }
  return statSync(databaseFile, { throwIfNoEntry: false })
    ? { name, status: 'fail', message: `${identityFile} is missing, but the database needs it`, next }
    : { name, status: 'ok', message: 'The first start of the daemon creates it' };
}

function checkSeed(databaseFile: string, seed: Uint8Array, identityFile: string): Check {
  const name = 'identity';
  try {
    if (isSeedOf(databaseFile, seed) !== false) return { name, status: 'ok', message: identityFile };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { name, status: 'fail', message: error.message, next: 'Restore the database from a backup.' };
  }
  return {
    name,
    status: 'fail',
    message: `${identityFile} is not the identity of this database`,
    next: restoreHint,
  };
}

function checkDisk({ locations: { data } }: Cli): Check {
  let folder = data;
  while (!statSync(folder, { throwIfNoEntry: false })) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  const message = `${free >= LITTLE_MIB ? `${(free / 1024).toFixed(1)} GiB` : `${free} MiB`} free at ${folder}`;
  if (free >= LITTLE_MIB) return { name: 'disk', status: 'ok', message };
  return {
    name: 'disk',
    status: free < TOO_LITTLE_MIB ? 'fail' : 'warn',
    message,
    next: 'Free up disk space.',
  };
}

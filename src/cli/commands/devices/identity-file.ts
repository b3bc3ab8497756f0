import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { parseMasterSeed } from '../../../contract/master-seed.ts';
import { readFileIfPresent } from '../../input/json-file.ts';

const SEED_BYTES = 32;

/** The master seed in a file of the daemon, or undefined where there is no file. */
export function readIdentityFile(path: string): Buffer | undefined {
  const content = readFileIfPresent(path);
  if (content === undefined) return undefined;
  const seed = parseMasterSeed(content);
  if (seed) return Buffer.from(seed);
  throw new CliError(exitCodes.configuration, `${path} is not a valid identity file.`, {
    next: 'Restore it: svc devices identity --restore',
  });
}

/** The seed in hex, as svc writes it into a file. */
export function parseSeed(text: string): Buffer | undefined {
  return /^[0-9a-f]{64}$/.test(text.trim()) ? Buffer.from(text.trim(), 'hex') : undefined;
}

/** Writes the file whole or not at all, for its owner alone, so that it survives a power cut. */
export function writeIdentityFile(path: string, seed: Uint8Array): void {
  if (seed.length !== SEED_BYTES) throw new Error(`A master seed has ${SEED_BYTES} bytes`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeThrough(temporary, `${Buffer.from(seed).toString('hex')}\n`);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
}

/** Makes the names of the files in a directory survive a power cut. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  fsyncSync(directory);
  closeSync(directory);
}

/** Writes a file that is not there yet, for its owner alone, down to the disk. */
export function writeThrough(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

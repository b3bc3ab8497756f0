import { readFileSync, statSync } from 'node:fs';
import { parseMasterSeed } from '../../contract/master-seed.ts';
import { AppError } from '../errors.ts';
import { codeOf } from '../paths/file-errors.ts';
import { writePrivateFile } from '../storage/private-file.ts';

const SEED_BYTES = 32;

/** The 32 bytes from which every key of this daemon is derived, or undefined where there is no file. */
export function readMasterSeed(file: string): Buffer | undefined {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new AppError('configuration', `${file} cannot be read (${codeOf(error) ?? 'unknown reason'})`, {
      cause: error,
    });
  }
  const seed = parseMasterSeed(content);
  if (!seed)
    throw new AppError(
      'configuration',
      `${file} does not hold an identity. Restore it: svc devices identity --restore`,
    );
  return Buffer.from(seed);
}

/** Keeps the seed in a file that only its owner may read. */
export function writeMasterSeed(file: string, seed: Buffer): void {
  if (seed.length !== SEED_BYTES) throw new Error(`A master seed has ${SEED_BYTES} bytes`);
  writePrivateFile(file, `${seed.toString('hex')}\n`);
}

const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o044;
const ANY_WRITE = 0o222;

/**
 * Throws where others could replace the file of a seed, or read one that is not mounted as a secret: those of containers
 * can be read by all who are in the container, and written by no one.
 */
export function requirePrivateSeed(file: string): void {
  if (process.getuid === undefined) return;
  const stats = statSync(file);
  if (stats.isDirectory())
    throw new AppError('configuration', `${file} is a directory, not the file of the master seed.`);
  const { mode } = stats;
  const isMounted = (mode & ANY_WRITE) === 0;
  if ((mode & OTHERS_WRITE) === 0 && (isMounted || (mode & OTHERS_READ) === 0)) return;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  throw new AppError(
    'configuration',
    `${file} holds the master seed, and other users can ${(mode & OTHERS_WRITE) === 0 ? 'read' : 'write'} it (mode ${octal}). Run: chmod 600 ${file}`,
  );
}

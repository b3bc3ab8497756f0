import { readFileSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { writePrivateFile } from '../storage/private-file.ts';

const SEED_BYTES = 32;

/** The 32 bytes from which every key of this daemon is derived, or undefined where there is no file. */
export function readMasterSeed(file: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const seed = parseMasterSeed(text);
  if (!seed)
    throw new AppError(
      'configuration',
      `${file} does not hold an identity. Restore it: svc devices identity --restore`,
    );
  return seed;
}

/** The seed that the text of an identity file holds; undefined where it holds none. */
export const parseMasterSeed = (text: string): Buffer | undefined =>
  /^[0-9a-f]{64}$/.test(text.trim()) ? Buffer.from(text.trim(), 'hex') : undefined;

/** Keeps the seed in a file that only its owner may read. */
export function writeMasterSeed(file: string, seed: Buffer): void {
  if (seed.length !== SEED_BYTES) throw new Error(`A master seed has ${SEED_BYTES} bytes`);
  writePrivateFile(file, `${seed.toString('hex')}\n`);
}

import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 30;

/** A folder in memory where the system has room for it: waiting for the disk takes a third of the time of a test daemon. */
export const memoryFolder = (): string => mkdtempSync(join(parent, 'svc-test-'));

const parent = hasRoom() ? SHARED_MEMORY : tmpdir();

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    // Only Linux has it.
    return false;
  }
}

import { hash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';

/** Enough to recognize most binary files. */
const FIRST_BYTES = 8192;
const MORE_BYTES = 65_536;

export type ReadText = { text: string; hash: string; size: number } | 'binary' | 'too large';

/** Reads an open file exactly, including a BOM. Reads at most one byte more than `maxBytes`. */
export function readText(descriptor: number, expectedBytes: number, maxBytes: number): ReadText {
  const bytes = readBytes(descriptor, expectedBytes, maxBytes, (first) => !first.includes(0));
  if (typeof bytes === 'string') return bytes;
  if (bytes.includes(0) || !isUtf8(bytes)) return 'binary';
  return { text: bytes.toString('utf8'), hash: hash('sha256', bytes), size: bytes.length };
}

/** Reads a file that may grow meanwhile, after its first bytes were accepted. */
export function readBytes(
  descriptor: number,
  expectedBytes: number,
  maxBytes: number,
  isAccepted: (first: Buffer) => boolean = () => true,
): Buffer | 'binary' | 'too large' {
  let bytes = Buffer.allocUnsafe(Math.min(expectedBytes, maxBytes) + 1);
  let length = 0;
  for (;;) {
    if (length === bytes.length) {
      if (length > maxBytes) return 'too large';
      const larger = Buffer.allocUnsafe(Math.min(length + MORE_BYTES, maxBytes + 1));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    const requested = length === 0 ? Math.min(FIRST_BYTES, bytes.length) : bytes.length - length;
    const count = readSync(descriptor, bytes, length, requested, null);
    if (count === 0) return bytes.subarray(0, length);
    if (length === 0 && !isAccepted(bytes.subarray(0, count))) return 'binary';
    length += count;
  }
}

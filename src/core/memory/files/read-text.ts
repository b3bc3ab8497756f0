import { hash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';

/** As much as tells most binary files. */
const FIRST_BYTES = 8192;
const MORE_BYTES = 65_536;

export type ReadText = { text: string; hash: string; size: number } | 'binary' | 'too large';

/** The text of a file that is open, exactly: a BOM stays where it is. Never reads more than a byte above `maxBytes`. */
export function readText(descriptor: number, expectedBytes: number, maxBytes: number): ReadText {
  const bytes = readBytes(descriptor, expectedBytes, maxBytes, (first) => !first.includes(0));
  if (typeof bytes === 'string') return bytes;
  if (bytes.includes(0) || !isUtf8(bytes)) return 'binary';
  return { text: bytes.toString('utf8'), hash: hash('sha256', bytes), size: bytes.length };
}

/** All bytes of a file that may grow meanwhile, once its first ones are found to be right. */
export function readBytes(
  descriptor: number,
  expectedBytes: number,
  maxBytes: number,
  isRight: (first: Buffer) => boolean = () => true,
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
    const wanted = length === 0 ? Math.min(FIRST_BYTES, bytes.length) : bytes.length - length;
    const count = readSync(descriptor, bytes, length, wanted, null);
    if (count === 0) return bytes.subarray(0, length);
    if (length === 0 && !isRight(bytes.subarray(0, count))) return 'binary';
    length += count;
  }
}

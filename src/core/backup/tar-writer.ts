const BLOCK = 512;
/** The largest size that fits the octal field; above it, the size is written in base 256 as GNU tar does. */
const MAX_OCTAL = 8 ** 11 - 1;

/** The two empty blocks that end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

/** The header of a regular file that only its owner may read; `name` has at most 100 bytes. */
export function tarHeader(name: string, bytes: number, at: Date): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for a tar header`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  if (bytes <= MAX_OCTAL) header.write(octal(bytes, 12), 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  header.write(octal(Math.floor(at.getTime() / 1000), 12), 136);
  // The checksum counts its own field as spaces.
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** What fills the last block of a file. */
export const tarPadding = (bytes: number): Buffer => Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);

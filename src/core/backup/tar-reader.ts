import { ByteReader } from './byte-reader.ts';
import { damaged } from './damaged.ts';

const BLOCK = 512;
/** Other programs fill an archive up to records of 20 blocks. */
const MAX_FILL = 20 * BLOCK;

export interface TarEntry {
  name: string;
  bytes: number;
  /** Has to be read before the next entry. */
  content: AsyncGenerator<Buffer>;
}

/** Reads an archive of regular files. Anything else in it, such as a link or a folder, is refused. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source);
  for (;;) {
    const header = await reader.take(BLOCK);
    if (isEmpty(header)) break;
    const entry = parseHeader(header);
    yield { ...entry, content: reader.pass(entry.bytes) };
    await reader.take((BLOCK - (entry.bytes % BLOCK)) % BLOCK);
  }
  const rest = await reader.rest(MAX_FILL);
  if (rest.length < BLOCK || !isEmpty(rest)) throw damaged('something follows its end');
}

const isEmpty = (block: Buffer) => block.every((byte) => byte === 0);

function parseHeader(header: Buffer): { name: string; bytes: number } {
  const text = (from: number, length: number) => {
    const field = header.subarray(from, from + length);
    const end = field.indexOf(0);
    return field.subarray(0, end === -1 ? length : end).toString('latin1');
  };
  const sum = Number.parseInt(text(148, 8), 8);
  const counted = Buffer.from(header).fill(' ', 148, 156);
  if (sum !== counted.reduce((total, byte) => total + byte, 0)) throw damaged('a header is damaged');
  const name = text(0, 100);
  if (!['0', ''].includes(text(156, 1)) || text(345, 155) !== '')
    throw damaged(`${JSON.stringify(name)} is not a regular file`);
  return { name, bytes: parseSize(header.subarray(124, 136), text(124, 12)) };
}

function parseSize(field: Buffer, text: string): number {
  const bytes = field[0] === 0x80 ? Number(field.readBigUInt64BE(4)) : Number.parseInt(text, 8);
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes;
  throw damaged('a size is not valid');
}

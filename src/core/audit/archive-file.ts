import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import type { AuditRow } from '../storage/rows/audit.ts';

/** Writes entries as compressed JSON lines; the file is on disk when this resolves. */
export async function writeArchive(path: string, entries: AsyncIterable<AuditRow[]>): Promise<void> {
  const lines = async function* () {
    for await (const page of entries) yield page.map((row) => `${JSON.stringify(row)}\n`).join('');
  };
  const { createGzip } = await import('node:zlib');
  // Open before the entries can fail: a stream that opens its file later may do so after the file was removed.
  const opened = await open(path, 'wx', 0o600);
  await pipeline(Readable.from(lines()), createGzip(), opened.createWriteStream({ flush: true }));
}

/** Reads the entries of an archive in order; throws if it is damaged. */
export async function* readArchive(path: string): AsyncGenerator<AuditRow> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const { createGunzip } = await import('node:zlib');
  const gunzip = createGunzip();
  const failed = pipeline(createReadStream(path), gunzip);
  failed.catch(() => undefined);
  for await (const chunk of gunzip) {
    const lines = (rest + decoder.write(chunk as Buffer)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as AuditRow;
  }
  await failed;
}

/** SHA-256 and size of a file. */
export async function digestOf(path: string): Promise<{ sha256: string; bytes: number }> {
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    digest.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { sha256: digest.digest('hex'), bytes };
}

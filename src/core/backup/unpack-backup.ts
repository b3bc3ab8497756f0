import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError, messageOf } from '../errors.ts';
import { syncDirectory } from '../storage/private-file.ts';
import {
  type BackupManifest,
  IDENTITY,
  IDENTITY_BYTES,
  MANIFEST,
  MANIFEST_BYTES,
  parseManifest,
} from './backup-manifest.ts';
import { damaged } from './damaged.ts';
import { readTar, type TarEntry } from './tar-reader.ts';

/** Called with the bytes of the file that have been read, and all that it has. */
export type OnUnpack = (done: number, total: number) => void;

export interface UnpackedBackup {
  manifest: BackupManifest;
  hasIdentity: boolean;
}

/**
 * Unpacks a backup into an empty directory, down to the disk. Throws unless it holds exactly the files that its manifest
 * lists, with their sizes and hashes: nothing is written under another name or beyond the size that was announced.
 */
export async function unpackBackup(
  file: string,
  directory: string,
  onUnpack?: OnUnpack,
): Promise<UnpackedBackup> {
  const gunzip = createGunzip();
  const failed = pipeline(readCounted(file, onUnpack), gunzip);
  failed.catch(() => undefined);
  const entries = readTar(gunzip as AsyncIterable<Buffer>);
  try {
    return await unpack(entries, directory);
  } catch (error) {
    throw isZlibError(error) ? damaged(messageOf(error), error) : error;
  } finally {
    await entries.return(undefined);
    gunzip.destroy();
  }
}

async function* readCounted(file: string, onUnpack: OnUnpack | undefined): AsyncGenerator<Buffer> {
  const total = (await stat(file)).size;
  let done = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    yield chunk;
    onUnpack?.((done += chunk.length), total);
  }
}

async function unpack(entries: AsyncGenerator<TarEntry>, directory: string): Promise<UnpackedBackup> {
  const manifest = parseManifest(await readManifest(entries));
  await requireSpace(manifest, directory);
  for (const { name, bytes, sha256 } of manifest.files) {
    const entry = await next(entries);
    if (entry?.name !== name || entry.bytes !== bytes)
      throw damaged(`${name} is missing or has another size`);
    if ((await writeEntry(entry, join(directory, name))) !== sha256) throw damaged(`${name} is damaged`);
  }
  const last = await next(entries);
  if (last) {
    if (last.name !== IDENTITY || last.bytes !== IDENTITY_BYTES)
      throw damaged(`it holds ${JSON.stringify(last.name)}, which no backup has`);
    await writeEntry(last, join(directory, IDENTITY));
    if (await next(entries)) throw damaged('it holds more than it lists');
  }
  syncDirectory(directory);
  return { manifest, hasIdentity: last !== undefined };
}

async function readManifest(entries: AsyncGenerator<TarEntry>): Promise<string> {
  const entry = await next(entries);
  if (entry?.name !== MANIFEST || entry.bytes > MANIFEST_BYTES)
    throw damaged('its list of contents is missing');
  const parts: Buffer[] = [];
  for await (const part of entry.content) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

async function next(entries: AsyncGenerator<TarEntry>): Promise<TarEntry | undefined> {
  const { done, value } = await entries.next();
  return done ? undefined : value;
}

/** Refuses before the first byte what could only fill the disk. */
async function requireSpace({ files }: BackupManifest, directory: string): Promise<void> {
  const needed = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bavail, bsize } = await statfs(directory);
  const mib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;
  if (needed > bavail * bsize)
    throw new AppError(
      'storage_full',
      `The backup needs ${mib(needed)} in ${directory}, and ${mib(bavail * bsize)} are free.`,
    );
}

/** Writes the file for its owner alone; resolves to its hash. */
async function writeEntry({ content }: TarEntry, path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const digest = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const part of content) {
      digest.update(part);
      await file.writeFile(part);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return digest.digest('hex');
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');

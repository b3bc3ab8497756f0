import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type BackupManifest, formatManifest, IDENTITY, MANIFEST } from './backup-manifest.ts';
import { TAR_END, tarHeader, tarPadding } from './tar-writer.ts';

/** A file of a backup, and where its bytes are. */
export interface PackedFile {
  name: string;
  path: string;
  bytes: number;
  sha256: string;
}

/** Measures a file that does not change any more. */
export async function measureFile(name: string, path: string): Promise<PackedFile> {
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    digest.update(chunk);
    bytes += chunk.length;
  }
  return { name, path, bytes, sha256: digest.digest('hex') };
}

/** The bytes of a backup, not compressed yet. */
export async function* packBackup(
  about: Pick<BackupManifest, 'svcVersion' | 'createdAt'>,
  files: readonly PackedFile[],
  identity?: Buffer,
): AsyncGenerator<Buffer> {
  const at = new Date(about.createdAt);
  const manifest = formatManifest({
    ...about,
    files: files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
  });
  yield* packText(MANIFEST, Buffer.from(manifest), at);
  for (const { name, path, bytes } of files) {
    yield tarHeader(name, bytes, at);
    let read = 0;
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      read += chunk.length;
      yield chunk;
    }
    if (read !== bytes) throw new Error(`${path} changed while it was read`);
    yield tarPadding(bytes);
  }
  if (identity) yield* packText(IDENTITY, identity, at);
  yield TAR_END;
}

/** The same backup with the identity as its last entry. */
export async function* withIdentity(
  backup: AsyncIterable<Uint8Array>,
  identity: Buffer,
  at: Date,
): AsyncGenerator<Uint8Array> {
  // The end that is known to come is held back.
  let held = Buffer.alloc(0);
  for await (const chunk of backup) {
    const all = Buffer.concat([held, chunk]);
    held = Buffer.from(all.subarray(Math.max(0, all.length - TAR_END.length)));
    yield all.subarray(0, all.length - held.length);
  }
  yield* packText(IDENTITY, identity, at);
  yield held;
}

function* packText(name: string, content: Buffer, at: Date): Generator<Buffer> {
  yield tarHeader(name, content.length, at);
  yield content;
  yield tarPadding(content.length);
}

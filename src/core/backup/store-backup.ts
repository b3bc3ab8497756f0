import { existsSync, linkSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BackupManifest } from './backup-manifest.ts';
import { AppError } from '../errors.ts';
import { codeOf } from '../paths/file-errors.ts';
import { syncDirectory } from '../storage/private-file.ts';
import { checkBackup } from './check-backup.ts';
import type { OnUnpack } from './unpack-backup.ts';
import { measureFile } from './pack-backup.ts';

/** Begins the names of the directories that a backup is written and checked in. */
export const WORK_PREFIX = '.svc-backup-';

export interface StoredBackup {
  file: string;
  bytes: number;
  sha256: string;
  hasIdentity: boolean;
  manifest: BackupManifest;
}

export interface StoreOptions {
  overwrite?: boolean;
  onCheck?: OnUnpack;
  /** Rejects with its reason, and keeps nothing. */
  signal?: AbortSignal;
}

/**
 * Writes a backup, reads it back and checks it, and only then gives it its name. The file is readable for its owner alone,
 * and one that is there is replaced only with `overwrite`.
 */
export async function storeBackup(
  backup: AsyncIterable<Uint8Array>,
  file: string,
  { overwrite = false, onCheck, signal }: StoreOptions = {},
): Promise<StoredBackup> {
  if (!overwrite) requireFree(file);
  const work = mkdtempSync(join(dirname(file), WORK_PREFIX));
  try {
    const written = join(work, 'backup');
    // Open before the backup can fail: a stream that opens its file later may do so while the folder is removed.
    const opened = await open(written, 'wx', 0o600);
    await pipeline(backup, opened.createWriteStream({ flush: true }));
    const unpacked = join(work, 'unpacked');
    await mkdir(unpacked, { mode: 0o700 });
    const { manifest, hasIdentity } = await checkBackup(written, unpacked, onCheck);
    const { bytes, sha256 } = await measureFile('', written);
    signal?.throwIfAborted();
    if (overwrite) renameSync(written, file);
    else nameNew(written, file);
    syncDirectory(dirname(file));
    return { file, bytes, sha256, hasIdentity, manifest };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Throws where a file is there. */
export function requireFree(file: string): void {
  if (existsSync(file)) throw new AppError('conflict', `${file} already exists.`);
}

/** A rename would replace what came there in the meantime, a link does not. */
function nameNew(written: string, file: string): void {
  try {
    linkSync(written, file);
  } catch (error) {
    requireFree(file);
    // The file system has no links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error;
    renameSync(written, file);
  }
}

import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import type { CommitWatch } from './group-commit.ts';
import { describeFault, type StorageFault, type StorageFaultKind } from '../storage-fault.ts';
import { faultKindOf } from './storage-errors.ts';

/** The storage counts as unusable after this time without a possible write. */
const STUCK_MS = 10_000;
/** With less free space, only a trial write shows whether data can still be stored. */
const LITTLE_BYTES = 1024 * 1024;

export interface StorageWatchDeps {
  file: string;
  /** Milliseconds that never jump. */
  monotonic: () => number;
  /** Whether this process still holds the lock of the data directory; undefined without a lock. */
  isLocked: (() => boolean) | undefined;
}

/** Tracks whether data can be stored, from the files, the outcome of commits, and damage that was found. */
export class StorageWatch implements CommitWatch {
  readonly #deps: StorageWatchDeps;
  readonly #opened: [path: string, identity: Identity][];
  /** True while the file is rewritten and writes wait. */
  isRewriting = false;
  #damaged = false;
  #failing: { kind: StorageFaultKind; since: number } | undefined;
  #waitingSince: number | undefined;

  /** Requires an open database, whose log exists. */
  constructor(deps: StorageWatchDeps) {
    this.#deps = deps;
    this.#opened = [deps.file, `${deps.file}-wal`].map((path) => [path, identityOf(path)]);
  }

  requireUsable(): void {
    const kind = this.#damaged ? 'damaged' : this.#fileFault();
    if (kind) throw new AppError('unavailable', describeFault(kind, this.#deps.file).message);
  }

  /** Records an error of a read or a write. */
  failed(error: unknown): void {
    const kind = faultKindOf(error);
    if (kind === 'damaged') this.#damaged = true;
    else if (kind && kind !== this.#failing?.kind)
      this.#failing = { kind, since: this.#failing?.since ?? this.#deps.monotonic() };
  }

  /** A commit without a write only shows that no other program has locked the database. */
  committed(hasWritten: boolean): void {
    this.#waitingSince = undefined;
    const kind = this.#failing?.kind;
    // On a full disk, small writes may still succeed, so only a large one ends the fault.
    if (kind === 'stuck' || (hasWritten && kind !== 'full')) this.#failing = undefined;
  }

  /** A write is waiting to begin. */
  waits(): void {
    this.#waitingSince ??= this.#deps.monotonic();
  }

  /** A large write was stored. */
  hasRoom(): void {
    if (this.#failing?.kind === 'full') this.#failing = undefined;
  }

  /** The integrity check found damage. */
  noteDamage(): void {
    this.#damaged = true;
  }

  fault(): StorageFault | undefined {
    const kind = this.#kind();
    return kind && describeFault(kind, this.#deps.file);
  }

  /** Whether only a trial write shows if data can be stored. */
  hasLittleRoom(): boolean {
    const { bavail, bsize } = statfsSync(dirname(this.#deps.file));
    return bavail * bsize < LITTLE_BYTES;
  }

  #kind(): StorageFaultKind | undefined {
    const { file, monotonic, isLocked } = this.#deps;
    if (this.#damaged) return 'damaged';
    const found = this.#fileFault();
    if (found) return found;
    if (isOnReadOnlyDisk(file)) return 'read_only';
    const { kind, since = monotonic() } = this.#failing ?? {};
    if (kind !== undefined && kind !== 'stuck') return kind;
    if (!this.isRewriting && monotonic() - Math.min(since, this.#waitingSince ?? since) >= STUCK_MS)
      return 'stuck';
    return isLocked?.() === false ? 'unlocked' : undefined;
  }

  #fileFault(): 'missing' | 'replaced' | 'unavailable' | undefined {
    for (const [path, opened] of this.#opened) {
      const now = identityOf(path);
      if (now === undefined) return 'unavailable';
      if (now !== opened) return now === 'missing' ? 'missing' : 'replaced';
    }
    return undefined;
  }
}

/** Device and inode, because the path may name another file now; undefined if the path cannot be followed. */
type Identity = string | undefined;

function identityOf(path: string): Identity {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? `${found.dev}:${found.ino}` : 'missing';
  } catch {
    // For example an I/O error: the path may or may not still name the open file.
    return undefined;
  }
}

/** Permissions do not matter: an open file stays writable unless its file system is read-only. */
function isOnReadOnlyDisk(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
  return false;
}

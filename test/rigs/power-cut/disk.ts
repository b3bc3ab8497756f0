import type { Random } from '../crash/random.ts';
import type { DiskOperation } from './trace.ts';

const SECTOR = 512;

type Change = Extract<DiskOperation, { kind: 'write' | 'truncate' }>;

/** A file as a disk with a cache keeps it: what is safe since the last sync, and what may or may not arrive. */
interface CachedFile {
  safe: Buffer;
  size: number;
  pending: Change[];
}

/** A disk that keeps what was synced, and of the rest whatever it likes. */
export class Disk {
  readonly #files = new Map<string, CachedFile>();

  apply(operation: DiskOperation): void {
    if (operation.kind === 'acknowledge') return;
    const { path } = operation;
    const file = this.#files.get(path) ?? { safe: Buffer.alloc(0), size: 0, pending: [] };
    this.#files.set(path, file);
    if (operation.kind === 'remove') this.#files.delete(path);
    else if (operation.kind === 'sync') {
      for (const change of file.pending) changeFile(file, change);
      file.pending = [];
    } else file.pending.push(operation);
  }

  /** The files as they may be after a power cut now: all, none, the first, some or torn ones of the changes that were not synced. */
  cut(random: Random): Map<string, Buffer> {
    const files = new Map<string, Buffer>();
    for (const [path, { safe, size, pending }] of this.#files) {
      const image = { safe: Buffer.from(safe.subarray(0, size)), size };
      for (const change of survivors(pending, random)) changeFile(image, change);
      files.set(path, image.safe.subarray(0, image.size));
    }
    return files;
  }
}

function survivors(pending: Change[], random: Random): Change[] {
  const keep = random.between(0, 4);
  if (keep === 0) return [];
  if (keep === 1) return pending;
  if (keep === 2) return pending.slice(0, random.between(0, pending.length));
  const kept = pending.filter(() => random.chance(0.5));
  return keep === 3 ? kept : kept.flatMap((change) => tear(change, random));
}

/** A write of which only some sectors arrive. */
function tear(change: Change, random: Random): Change[] {
  if (change.kind !== 'write') return [change];
  const { offset, bytes } = change;
  const sectors: Change[] = [];
  for (let from = 0; from < bytes.length; from += SECTOR)
    if (random.chance(0.5))
      sectors.push({ ...change, offset: offset + from, bytes: bytes.subarray(from, from + SECTOR) });
  return sectors;
}

function changeFile(file: { safe: Buffer; size: number }, change: Change): void {
  if (change.kind === 'truncate') {
    if (change.size < file.size) file.safe.fill(0, change.size, file.size);
    reserve(file, change.size);
    file.size = change.size;
    return;
  }
  const end = change.offset + change.bytes.length;
  reserve(file, end);
  change.bytes.copy(file.safe, change.offset);
  file.size = Math.max(file.size, end);
}

function reserve(file: { safe: Buffer }, size: number): void {
  if (size <= file.safe.length) return;
  const larger = Buffer.alloc(Math.max(size, file.safe.length * 2));
  file.safe.copy(larger);
  file.safe = larger;
}

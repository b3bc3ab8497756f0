import { lstatSync } from 'node:fs';
import { codeOf } from '../../paths/file-errors.ts';
import { stampOf } from './file-stamp.ts';
import type { FileStore } from './file-store.ts';
import { GONE } from './tree-walk.ts';

/** Files between two checks of the deadline. */
const BATCH_SIZE = 50;

/** Lists the indexed files that changed since they were read, as far as the deadline allows. */
export function changedFiles(
  store: FileStore,
  paths: string[] | 'all',
  deadline: number,
): { changed: string[]; isComplete: boolean } {
  const changed: string[] = [];
  for (const files of paths === 'all' ? allOf(store) : someOf(store, paths)) {
    if (performance.now() > deadline) return { changed, isComplete: false };
    for (const { path, stamp } of files) if (isChanged(path, stamp)) changed.push(path);
  }
  return { changed, isComplete: true };
}

interface Stamped {
  path: string;
  stamp: string;
}

function* allOf(store: FileStore): Generator<Stamped[]> {
  let after = '';
  for (;;) {
    const files = store.stampsAfter(after, BATCH_SIZE);
    if (files.length > 0) yield files;
    if (files.length < BATCH_SIZE) return;
    after = files.at(-1)?.path ?? '';
  }
}

function* someOf(store: FileStore, paths: string[]): Generator<Stamped[]> {
  for (const path of paths) {
    const known = store.known(path);
    if (known) yield [{ path, stamp: known.stamp }];
  }
}

/** A file that cannot be inspected now counts as unchanged. */
function isChanged(path: string, stamp: string): boolean {
  try {
    return stampOf(lstatSync(path, { bigint: true })) !== stamp;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return GONE.includes(code);
  }
}

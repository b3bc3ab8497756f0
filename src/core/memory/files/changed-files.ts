import { lstatSync } from 'node:fs';
import { codeOf } from '../../paths/file-errors.ts';
import { stampOf } from './file-stamp.ts';
import type { FileStore } from './file-store.ts';
import { GONE } from './walk-tree.ts';

/** Files between two looks at the clock. */
const AT_ONCE = 50;

/** Those of the indexed files that are not as they were when they were read, as far as can be seen by the deadline. */
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
    const files = store.stampsAfter(after, AT_ONCE);
    if (files.length > 0) yield files;
    if (files.length < AT_ONCE) return;
    after = files.at(-1)?.path ?? '';
  }
}

function* someOf(store: FileStore, paths: string[]): Generator<Stamped[]> {
  for (const path of paths) {
    const known = store.known(path);
    if (known) yield [{ path, stamp: known.stamp }];
  }
}

/** Of a file that may not be looked at now nothing is known. */
function isChanged(path: string, stamp: string): boolean {
  try {
    return stampOf(lstatSync(path, { bigint: true })) !== stamp;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return GONE.includes(code);
  }
}

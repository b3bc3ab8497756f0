import { backup as copy } from 'node:sqlite';
import { isInPlace, pass } from './points.ts';

/** Pages per step, few enough that there are points between the steps. */
const PAGES = 20;

/** SQLite's backup with points around and between its steps. */
export const backup: typeof copy = async (source, path, options) => {
  pass('before the copy');
  const to = isInPlace ? String(path).replace('.partial', '') : path;
  const pages = await copy(source, to, { ...options, rate: PAGES, progress: () => pass('during the copy') });
  pass('after the copy');
  return pages;
};

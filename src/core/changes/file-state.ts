import { constants } from 'node:fs';
import type { FileChangeRow } from '../storage/rows/file-changes.ts';

/** A file at one moment. */
export interface FileState {
  /** SHA-256 of its content, in hexadecimal, of a link of its target; null if it is not kept. */
  hash: string | null;
  /** Its type and permissions. */
  mode: number;
}

/** Larger files are not kept. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** The part of a mode that is kept and compared. */
export const keptMode = ({ mode }: { mode: number | bigint }): number =>
  Number(mode) & (constants.S_IFMT | 0o777);

export const isLink = ({ mode }: FileState): boolean => (mode & constants.S_IFMT) === constants.S_IFLNK;

/** Whether two states are certainly the same; undefined stands for no file. */
export function isSameState(a: FileState | undefined, b: FileState | undefined): boolean {
  if (!a || !b) return a === b;
  // The permissions of a link mean nothing.
  return a.hash !== null && a.hash === b.hash && (a.mode === b.mode || (isLink(a) && isLink(b)));
}

export const beforeOf = ({ before_hash: hash, before_mode: mode }: FileChangeRow): FileState | undefined =>
  mode === null ? undefined : { hash, mode };

export const afterOf = ({ after_hash: hash, after_mode: mode }: FileChangeRow): FileState | undefined =>
  mode === null ? undefined : { hash, mode };

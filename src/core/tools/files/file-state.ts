import { hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { codeOf } from '../../paths/file-errors.ts';
import { openVerified } from '../../paths/open-verified.ts';
import { ToolFailure } from '../tool.ts';
import { decodeText } from './read-lines.ts';

/** The largest file that a call changes in part, or whose change is shown. */
export const MAX_FILE_BYTES = 10_000_000;

/** The basis where there is no file yet. */
const NO_FILE = 'none';

/** A file as it is at one moment. */
export interface FileState {
  /** Equal exactly if the content is the same, or for a file that is too large, if nothing has written to it. */
  basis: string;
  /** Undefined where there is no file. */
  stats: BigIntStats | undefined;
  /** The text, or why there is none; empty where there is no file. */
  text: string | ToolFailure;
}

/** Reads the file at a real path; `path` is its name in messages. */
export async function readFileState(realPath: string, path: string): Promise<FileState> {
  try {
    await using file = await openVerified(realPath);
    const stats = await file.stat({ bigint: true });
    const size = Number(stats.size);
    if (size > MAX_FILE_BYTES) {
      const { dev, ino, mtimeNs, ctimeNs } = stats;
      const failure = `${path} is too large: ${size} bytes, at most ${MAX_FILE_BYTES}`;
      const basis = ['large', dev, ino, size, mtimeNs, ctimeNs].join(' ');
      return { basis, stats, text: new ToolFailure(failure) };
    }
    const buffer = Buffer.alloc(size);
    const { bytesRead } = await file.read(buffer, 0, size, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return { basis: hash('sha256', bytes), stats, text: textOrFailure(bytes, path) };
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return { basis: NO_FILE, stats: undefined, text: '' };
  }
}

/** Throws if the file is not the one that a person saw when they allowed the change. */
export function requireBasis({ basis }: FileState, expected: string | undefined, path: string): void {
  if (expected !== undefined && basis !== expected)
    throw new ToolFailure(`${path} has changed since the call was allowed. Read it again`);
}

function textOrFailure(bytes: Uint8Array, path: string): string | ToolFailure {
  try {
    return decodeText(bytes, path);
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
}

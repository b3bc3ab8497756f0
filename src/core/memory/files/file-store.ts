import type { DatabaseSync } from 'node:sqlite';
import type { Chunk, IndexedFile } from '../../../contract/memory.ts';
import type { KeywordIndex } from '../index/keyword-index.ts';

export interface FileStoreParts {
  database: DatabaseSync;
  keywords: KeywordIndex;
  /** Told after each commit which chunks came and went. */
  onChange: (change: { added: number[]; removed: number[] }) => void;
}

/** The rows of indexed files and their chunks. */
export class FileStore {
  readonly #parts: FileStoreParts;
  constructor(parts: FileStoreParts) {
    this.#parts = parts;
  }

  list(_page: { limit: number; offset: number }): { files: IndexedFile[]; total: number } {
    throw new Error(`to be done ${String(this.#parts)}`);
  }

  /** undefined for a path that is not in the index. */
  chunksOf(_path: string): Chunk[] | undefined {
    return undefined;
  }

  /** Those of the ids that are still there, by id. */
  chunks(_ids: number[]): Map<number, Chunk> {
    return new Map();
  }

  removeChunk(_id: string): boolean {
    return false;
  }

  removeFile(_path: string): boolean {
    return false;
  }

  /** Removes files that are at or below none of the folders. */
  keepOnly(_folders: string[]): void {}

  clear(): void {}

  /** The next paths in the order of their bytes. */
  pathsAfter(_path: string, _limit: number): string[] {
    return [];
  }

  has(_path: string): boolean {
    return false;
  }

  counts(): { fileCount: number; chunkCount: number } {
    return { fileCount: 0, chunkCount: 0 };
  }

  lastSyncAt(): string | null {
    return null;
  }
}

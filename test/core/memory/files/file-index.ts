import type { DatabaseSync } from 'node:sqlite';
import { openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { KeywordIndex } from '../../../../src/core/memory/index/keyword-index.ts';
import { FileStore } from '../../../../src/core/memory/files/file-store.ts';
import { FileSync } from '../../../../src/core/memory/files/file-sync.ts';

/** A file index that records what was synced. */
export class FileIndex {
  readonly database: DatabaseSync;
  readonly store: FileStore;
  /** All synced paths in order. */
  readonly syncedPaths: string[] = [];
  failure: Error | undefined;
  /** Ignores deadlines of syncs. */
  hasNoDeadline = false;
  /** Called before files are synced, and before stamps are checked. */
  onSync: () => void = () => undefined;
  onCheck: () => void = () => undefined;
  onChange: () => void = () => undefined;
  readonly sync: FileSync;

  constructor(file: string, protectedDirectories: string[]) {
    this.database = openIndexDatabase(file, 8);
    const keywords = new KeywordIndex(this.database, 'chunk_words');
    this.store = new FileStore({ database: this.database, keywords, onChange: () => this.onChange() });
    const now = () => new Date();
    this.sync = new FileSync({ store: this.store, protectedDirectories, onProgress: () => undefined, now });
    const { sync } = this;
    const syncPaths = sync.syncPaths.bind(sync);
    const changedFiles = sync.changedFiles.bind(sync);
    sync.syncPaths = (paths, request, deadline) => {
      this.onSync();
      if (this.failure) throw this.failure;
      this.syncedPaths.push(...paths);
      return syncPaths(paths, request, this.hasNoDeadline ? Infinity : deadline);
    };
    sync.changedFiles = (paths, deadline) => {
      this.onCheck();
      return changedFiles(paths, deadline);
    };
  }

  get fileCount(): number {
    return this.store.counts().fileCount;
  }

  /** The files with this text in them. */
  search(text: string): { paths: string[] } {
    const rows = this.database
      .prepare(
        'select distinct path from files f join chunks c on c.file_id = f.id where instr(c.text, ?) order by path',
      )
      .all(text);
    return { paths: rows.map((row) => String(row['path'])) };
  }
}

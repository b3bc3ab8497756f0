import type { DatabaseSync } from 'node:sqlite';
import { openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { KeywordIndex } from '../../../../src/core/memory/index/keyword-index.ts';
import { FileStore } from '../../../../src/core/memory/files/file-store.ts';
import { FileSync } from '../../../../src/core/memory/files/file-sync.ts';

/** An index of files, which tells what was synced. */
export class FileIndex {
  readonly database: DatabaseSync;
  readonly store: FileStore;
  /** All paths that were given to be synced, in their order. */
  readonly asked: string[] = [];
  failure: Error | undefined;
  /** Whether a sync has all the time of the world. */
  isUnhurried = false;
  /** Told before files are synced, and before stamps are looked at. */
  onSync: () => void = () => undefined;
  onLook: () => void = () => undefined;
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
    sync.syncPaths = (paths, order, deadline) => {
      this.onSync();
      if (this.failure) throw this.failure;
      this.asked.push(...paths);
      return syncPaths(paths, order, this.isUnhurried ? Infinity : deadline);
    };
    sync.changedFiles = (paths, deadline) => {
      this.onLook();
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

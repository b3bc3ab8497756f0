import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { FileJournal, FileStore } from '../files/file-store.ts';
import type { IndexCalls, SharedFile, UnpublishedFile } from './index-calls.ts';

/**
 * What an index of a cluster knows beyond its files: `shared_files` which change of a file it has, `unpublished_files` which
 * of its own changes the others have not, `shared_roots` up to where it has read.
 */
const tables = `
  create table if not exists shared_files (path text primary key, root text not null, rev integer not null);
  create index if not exists shared_files_by_root on shared_files (root);
  create table if not exists unpublished_files (
    path text primary key, version integer not null, is_by_user integer not null
  );
  create index if not exists unpublished_by_version on unpublished_files (version);
  create table if not exists shared_roots (root text primary key, rev integer not null);
`;
const CHUNK_IDS = 'chunk_ids';
/** Characters of text from which on an answer is full. */
const FULL = 1_000_000;

interface IdRange {
  next: number;
  end: number;
}

export interface SharedIndexDeps {
  database: DatabaseSync;
  store: () => FileStore;
  /** Called before a file of this daemon goes because a user removed it on another one. */
  onForgotten: (path: string) => void;
  /** Called after commits with changes that the other daemons have not. */
  onUnpublished: () => void;
}

/** Keeps the index of one daemon equal to those of the others: ids of chunks are the same everywhere. */
export class SharedIndex implements FileJournal {
  readonly #deps: SharedIndexDeps;
  readonly #sql: ReturnType<typeof statements>;
  readonly #ids: IdRange[];
  #lastVersion: number;
  #isApplying = false;
  #haveIdsChanged = false;
  #hasNoted = false;
  #isByUser = false;

  constructor(deps: SharedIndexDeps) {
    this.#deps = deps;
    deps.database.exec(tables);
    this.#sql = statements(deps.database);
    const stored = this.#sql.fact.get(CHUNK_IDS)?.['value'];
    this.#ids = typeof stored === 'string' ? (JSON.parse(stored) as IdRange[]) : [];
    // Above those of an earlier thread, whose changes may be confirmed still.
    this.#lastVersion = Math.max(Number(this.#sql.lastVersion.get()?.['version'] ?? 0), Date.now());
  }

  note(path: string): void {
    if (this.#isApplying) return;
    this.#sql.note.run(path, ++this.#lastVersion, Number(this.#isByUser));
    this.#hasNoted = true;
  }

  isShared(path: string): boolean {
    return this.#sql.shared.get(path) !== undefined;
  }

  /** Does what a user wants, which also goes to the others where this daemon has not the file. */
  byUser<Result>(work: () => Result): Result {
    this.#isByUser = true;
    try {
      return work();
    } finally {
      this.#isByUser = false;
    }
  }

  nextChunkId(): number {
    const [range] = this.#ids;
    if (!range) throw new AppError('unavailable', 'The memory index has no free ids yet. Try again');
    const id = range.next++;
    if (range.next >= range.end) this.#ids.shift();
    this.#haveIdsChanged = true;
    return id;
  }

  beforeCommit(): void {
    if (this.#haveIdsChanged) this.#sql.setFact.run(CHUNK_IDS, JSON.stringify(this.#ids));
    this.#haveIdsChanged = false;
  }

  afterCommit(): void {
    if (this.#hasNoted) this.#deps.onUnpublished();
    this.#hasNoted = false;
  }

  /** Forgets all files in the transaction that clears the index. */
  clear(): void {
    this.#deps.database.exec('delete from unpublished_files; delete from shared_files');
  }

  readonly calls: Pick<
    IndexCalls,
    'sharedState' | 'addChunkIds' | 'applyFiles' | 'dropRoot' | 'unpublished' | 'published'
  > = {
    sharedState: () => ({
      revs: Object.fromEntries(
        this.#sql.roots.all().map(({ root, rev }) => [String(root), Number(rev)] as const),
      ),
      idsLeft: this.#idsLeft(),
    }),
    addChunkIds: (range) => {
      this.#ids.push({ next: range.from, end: range.to });
      this.#haveIdsChanged = true;
      this.#deps.store().transaction(() => undefined);
    },
    applyFiles: ({ root, files, rev, isKept }) => {
      this.#apply(() => {
        for (const file of files) this.#applyFile(root, file, isKept);
        this.#sql.setRoot.run(root, rev);
      });
    },
    dropRoot: ({ root, rev, isKept }) => {
      const store = this.#deps.store();
      this.#apply(() => {
        for (const row of this.#sql.filesOfRoot.all(root)) {
          const path = String(row['path']);
          const known = store.known(path);
          if (known && isKept) this.#deps.onForgotten(path);
          if (known) store.remove(known);
          this.#forget(path);
        }
        if (rev === undefined) this.#sql.removeRoot.run(root);
        else this.#sql.setRoot.run(root, rev);
      });
    },
    unpublished: (limit) => {
      const files: UnpublishedFile[] = [];
      let characters = 0;
      for (const row of this.#sql.unpublished.iterate(limit)) {
        const file = this.#read(row);
        files.push(file);
        characters += file.file?.chunks.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
        if (characters > FULL) break;
      }
      return { files, idsLeft: this.#idsLeft() };
    },
    published: ({ root, before, rev, files }) => {
      this.#apply(() => {
        for (const { path, version, rev: ofFile } of files) {
          if (ofFile !== undefined) this.#sql.setShared.run(path, root, ofFile);
          this.#sql.acknowledge.run(path, version);
        }
        // What this daemon has written need not be read again, unless others have written in between.
        if (Number(this.#sql.root.get(root)?.['rev'] ?? 0) === before) this.#sql.setRoot.run(root, rev);
      });
    },
  };

  #idsLeft(): number {
    return this.#ids.reduce((sum, { next, end }) => sum + end - next, 0);
  }

  /** In a transaction whose changes the others know. */
  #apply(work: () => void): void {
    this.#deps.store().transaction(() => {
      this.#isApplying = true;
      try {
        work();
      } finally {
        this.#isApplying = false;
      }
    });
  }

  #applyFile(root: string, { path, rev, file }: SharedFile, isKept: boolean): void {
    const store = this.#deps.store();
    const shared = this.#sql.shared.get(path);
    if (shared && shared['root'] === root && Number(shared['rev']) >= rev) return;
    // A newer change by the daemon that has the files goes to the others in its turn.
    if (isKept && this.#sql.isUnpublished.get(path)) return;
    this.#forget(path);
    this.#sql.setShared.run(path, root, rev);
    const known = store.known(path);
    if (file) {
      // A stamp of this daemon says more about its own file.
      const stamp = isKept && known?.hash === file.hash ? known.stamp : file.stamp;
      const { length } = file.relativePath;
      store.put({ ...file, path, stamp, relativePath: path.slice(path.length - length) });
    } else if (known) {
      if (isKept) this.#deps.onForgotten(path);
      store.remove(known);
    }
  }

  #forget(path: string): void {
    this.#sql.removeShared.run(path);
    this.#sql.removeUnpublished.run(path);
  }

  #read({ path: given, version, is_by_user, root, rev }: Record<string, SQLOutputValue>): UnpublishedFile {
    const path = String(given);
    return {
      path,
      version: Number(version),
      isByUser: is_by_user === 1,
      ...(root !== null && { shared: { root: String(root), rev: Number(rev) } }),
      file: this.#deps.store().read(path),
    };
  }
}

function statements(database: DatabaseSync) {
  const prepare = (text: string): StatementSync => database.prepare(text);
  return {
    fact: prepare('select value from facts where name = ?'),
    setFact: prepare('insert or replace into facts (name, value) values (?, ?)'),
    lastVersion: prepare('select max(version) as version from unpublished_files'),
    note: prepare('insert or replace into unpublished_files (path, version, is_by_user) values (?, ?, ?)'),
    isUnpublished: prepare('select 1 from unpublished_files where path = ?'),
    removeUnpublished: prepare('delete from unpublished_files where path = ?'),
    acknowledge: prepare('delete from unpublished_files where path = ? and version = ?'),
    unpublished: prepare(`select u.path, u.version, u.is_by_user, s.root, s.rev from unpublished_files u
      left join shared_files s on s.path = u.path order by u.version limit ?`),
    shared: prepare('select root, rev from shared_files where path = ?'),
    setShared: prepare('insert or replace into shared_files (path, root, rev) values (?, ?, ?)'),
    removeShared: prepare('delete from shared_files where path = ?'),
    filesOfRoot: prepare('select path from shared_files where root = ?'),
    roots: prepare('select root, rev from shared_roots'),
    root: prepare('select rev from shared_roots where root = ?'),
    setRoot: prepare('insert or replace into shared_roots (root, rev) values (?, ?)'),
    removeRoot: prepare('delete from shared_roots where root = ?'),
  };
}

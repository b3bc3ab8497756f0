import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { SyncProgress } from '../../../../src/contract/memory.ts';
import { FileStore } from '../../../../src/core/memory/files/file-store.ts';
import { FileSync, type FileSyncDeps } from '../../../../src/core/memory/files/file-sync.ts';
import { openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { KeywordIndex } from '../../../../src/core/memory/index/keyword-index.ts';
import type { SyncRequest } from '../../../../src/core/memory/index/index-calls.ts';

/** An index in its own database. */
export function openIndex(
  file: string,
  protectedDirectories: string[] = [],
  options: Pick<FileSyncDeps, 'hasPendingCalls' | 'monotonic'> = {},
) {
  const database = openIndexDatabase(file, 8);
  const keywords = new KeywordIndex(database, 'chunk_words');
  const changes: { added: number[]; removed: number[] }[] = [];
  const progress: SyncProgress[] = [];
  const store = new FileStore({ database, keywords, onChange: (change) => changes.push(change) });
  const sync = new FileSync({
    store,
    protectedDirectories,
    onProgress: (event) => progress.push(event),
    now: () => new Date(),
    ...options,
  });
  const close = () => void (database.isOpen && database.close());
  return { database, keywords, store, sync, changes, progress, [Symbol.dispose]: close };
}

/** A folder to index, next to other files, with an index; all are removed with the test. */
export function createIndexedTree(protectedNames: string[] = []) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-files-')));
  const base = join(root, 'base');
  mkdirSync(base);
  const at = (path: string) => (path.startsWith('/') ? path : join(base, path));
  const index = openIndex(
    join(root, 'memory.db'),
    protectedNames.map((name) => at(name)),
  );
  const limits = { roots: [base], maxFileBytes: 2 ** 20, maxFiles: 10_000 };
  const request: SyncRequest = { basePath: base, ...limits };
  return {
    ...index,
    root,
    base,
    at,
    request,
    write(path: string, content: string | Buffer = `About ${path}\n`) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
      return at(path);
    },
    syncDirectory: (changed: Partial<SyncRequest> = {}) =>
      index.sync.syncDirectory({ ...request, ...changed }),
    syncPaths: (paths: string[], changed: Partial<SyncRequest> = {}) =>
      index.sync.syncPaths(paths.map(at), { ...limits, ...changed }, Infinity),
    /** The indexed paths, relative to the base. */
    paths: () =>
      pathsIn(index.store).map((path) => (path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path)),
    /** Paths of the files that contain a word. */
    find: (word: string) => find(index, word).map((path) => path.slice(base.length + 1)),
    [Symbol.dispose]() {
      index[Symbol.dispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export type IndexedTree = ReturnType<typeof createIndexedTree>;

export const pathsIn = (store: FileStore): string[] =>
  store.list({ limit: 1_000_000, offset: 0 }).files.map(({ path }) => path);

export function find(
  { keywords, store }: { keywords: KeywordIndex; store: FileStore },
  word: string,
): string[] {
  const { ranked } = keywords.search({ words: [word], leftOut: [] }, { limit: 1000 });
  return [...new Set([...store.chunks(ranked.map(({ id }) => id)).values()].map(({ path }) => path))].sort();
}

/** Counts orphaned rows. */
export function orphans(database: DatabaseSync): number {
  const row = database
    .prepare(
      `select (select count(*) from chunks where file_id not in (select id from files))
         + (select count(*) from chunk_words_docsize where id not in (select id from chunks))
         + (select count(*) from chunks where id not in (select id from chunk_words_docsize))
         + (select count(*) from files where chunk_count <> (select count(*) from chunks where file_id = files.id)) as n`,
    )
    .get();
  return Number(row?.['n']);
}

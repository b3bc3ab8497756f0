import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { SyncProgress } from '../../../../src/contract/memory.ts';
import { FileStore } from '../../../../src/core/memory/files/file-store.ts';
import { FileSync, type FileSyncDeps } from '../../../../src/core/memory/files/file-sync.ts';
import { openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { KeywordIndex } from '../../../../src/core/memory/index/keyword-index.ts';
import type { SyncOrder } from '../../../../src/core/memory/index/index-calls.ts';

/** An index in a database of its own. */
export function openIndex(
  file: string,
  protectedDirectories: string[] = [],
  given: Pick<FileSyncDeps, 'isAwaited' | 'monotonic'> = {},
) {
  const database = openIndexDatabase(file, 8);
  const keywords = new KeywordIndex(database, 'chunk_words');
  const changes: { added: number[]; removed: number[] }[] = [];
  const progress: SyncProgress[] = [];
  const store = new FileStore({ database, keywords, onChange: (change) => changes.push(change) });
  const sync = new FileSync({
    store,
    protectedDirectories,
    onProgress: (told) => progress.push(told),
    now: () => new Date(),
    ...given,
  });
  const close = () => void (database.isOpen && database.close());
  return { database, keywords, store, sync, changes, progress, [Symbol.dispose]: close };
}

/** A folder with files that may be indexed, beside what may not, and an index; all go with the test. */
export function plantFiles(protectedNames: string[] = []) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-files-')));
  const base = join(root, 'base');
  mkdirSync(base);
  const at = (path: string) => (path.startsWith('/') ? path : join(base, path));
  const index = openIndex(
    join(root, 'memory.db'),
    protectedNames.map((name) => at(name)),
  );
  const limits = { roots: [base], maxFileBytes: 2 ** 20, maxFiles: 10_000 };
  const order: SyncOrder = { basePath: base, ...limits };
  return {
    ...index,
    root,
    base,
    at,
    order,
    write(path: string, content: string | Buffer = `About ${path}\n`) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
      return at(path);
    },
    syncFolder: (changed: Partial<SyncOrder> = {}) => index.sync.syncFolder({ ...order, ...changed }),
    syncPaths: (paths: string[], changed: Partial<SyncOrder> = {}) =>
      index.sync.syncPaths(paths.map(at), { ...limits, ...changed }, Infinity),
    /** The indexed paths, below the base where they are there. */
    paths: () =>
      pathsIn(index.store).map((path) => (path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path)),
    /** The paths of the files that hold a word. */
    find: (word: string) => find(index, word).map((path) => path.slice(base.length + 1)),
    [Symbol.dispose]() {
      index[Symbol.dispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export type FileWorld = ReturnType<typeof plantFiles>;

export const pathsIn = (store: FileStore): string[] =>
  store.list({ limit: 1_000_000, offset: 0 }).files.map(({ path }) => path);

export function find(
  { keywords, store }: { keywords: KeywordIndex; store: FileStore },
  word: string,
): string[] {
  const { ranked } = keywords.search({ words: [word], leftOut: [] }, { limit: 1000 });
  return [...new Set([...store.chunks(ranked.map(({ id }) => id)).values()].map(({ path }) => path))].sort();
}

/** Rows that belong to nothing. */
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

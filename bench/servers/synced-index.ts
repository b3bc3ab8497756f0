import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chunkText } from '../../src/core/memory/files/chunk-text.ts';
import { FileStore } from '../../src/core/memory/files/file-store.ts';
import { FileSync } from '../../src/core/memory/files/file-sync.ts';
import { openIndexDatabase } from '../../src/core/memory/index/index-database.ts';
import { KeywordIndex } from '../../src/core/memory/index/keyword-index.ts';

/** Files as programmers have them, synced by svc, or only read, cut in chunks and put in an FTS5 table. */
const FILES = Number(process.env['BENCH_COUNT']);
const MAX_BYTES = 2 ** 20;
/** Of the plain way, in a transaction. */
const FILES_AT_ONCE = 1000;
const home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-')));
const base = join(home, 'base');
const source = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Copies from everywhere in the dependencies; a directory of that name would be skipped. */
const found = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(?:md|[cm]?js|ts)$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => statSync(path).size <= MAX_BYTES)
  .sort();
for (let at = 0; at < FILES; at++) {
  const path = found[Math.floor((at * found.length) / FILES)] ?? '';
  const target = join(base, path.slice(source.length).replaceAll('node_modules', 'modules'));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(path, target);
}

let count = 0;

/** As one would do it by hand: a table of FTS5 of words alone, or one which keeps the texts, too. */
function plain(content: string): number {
  const database = new DatabaseSync(join(home, `${count++}.db`));
  database.exec(`
    pragma journal_mode = wal; pragma synchronous = normal;
    create virtual table chunks using fts5(path, heading, body, tokenize='porter unicode61'${content});
  `);
  const insert = database.prepare('insert into chunks (path, heading, body) values (?, ?, ?)');
  const began = performance.now();
  let files = 0;
  database.exec('begin');
  for (const entry of readdirSync(base, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    for (const { heading, text } of chunkText(path, readFileSync(path, 'utf8')))
      insert.run(path, heading, text);
    if (++files % FILES_AT_ONCE === 0) database.exec('commit; begin');
  }
  database.exec('commit');
  const ms = performance.now() - began;
  database.close();
  return ms;
}

async function sync() {
  const database = openIndexDatabase(join(home, `${count++}.db`), 32);
  const keywords = new KeywordIndex(database, 'chunk_words');
  const store = new FileStore({ database, keywords, onChange: () => undefined });
  const files = new FileSync({
    store,
    protectedDirectories: [],
    onProgress: () => undefined,
    hasPendingCalls: () => false,
    now: () => new Date(),
  });
  const order = { basePath: base, roots: [base], maxFileBytes: MAX_BYTES, maxFiles: 1_000_000 };
  const began = performance.now();
  await files.syncDirectory(order);
  const between = performance.now();
  const { synced } = await files.syncDirectory(order);
  const result = { ms: between - began, againMs: performance.now() - between, ...store.counts(), synced };
  const rss = process.memoryUsage().rss;
  database.close();
  return { ...result, rss };
}

process.on('message', (question) => {
  if (question === 'words') process.send?.({ ms: plain(", content=''") });
  else if (question === 'texts') process.send?.({ ms: plain('') });
  else void sync().then((result) => process.send?.(result));
});
process.on('SIGTERM', () => {
  rmSync(home, { recursive: true });
  process.exit();
});
process.send?.({ url: '', headers: {} });

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunkText } from '../../src/core/memory/files/chunk-text.ts';
import { FileStore } from '../../src/core/memory/files/file-store.ts';
import { FileSync } from '../../src/core/memory/files/file-sync.ts';
import { openIndexDatabase } from '../../src/core/memory/index/index-database.ts';
import { KeywordIndex } from '../../src/core/memory/index/keyword-index.ts';

/** Files of text in a tree of folders, synced by svc, or only read, cut in chunks and put in an FTS5 table. */
const FILES = Number(process.env['BENCH_COUNT']);
/** Of the plain way, in a transaction. */
const FILES_AT_ONCE = 1000;
const home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-')));
const base = join(home, 'base');
/** Words of syllables, and a twentieth of them names as programs and versions have them. */
const vocabulary = Array.from({ length: 20_000 }, (_, at) => {
  const word = (number: number) => {
    let letters = '';
    for (let rest = number; rest > 0; rest = Math.floor(rest / 75))
      letters += `${'bdfgklmnprstvwz'[rest % 15]}${'aeiou'[Math.floor(rest / 15) % 5]}`;
    return letters;
  };
  const number = at * 7919 + 104_729;
  const [first, second] = [word(number % 5000), word(number)];
  const names = [
    `${first}${second[0]?.toUpperCase()}${second.slice(1)}`,
    `${first}_${second}`,
    `${second}-${first}`,
    `${at}.${number % 100}`,
  ];
  return at % 20 === 0 ? (names[(at / 20) % 4] ?? '') : second;
});

let seed = 1;
const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
const words = (count: number) =>
  // Some words are frequent and most are rare, as in any language.
  Array.from({ length: count }, () => vocabulary[Math.floor(next(20_000) ** 2 / 20_000)]).join(' ');

for (let at = 0; at < FILES; at++) {
  const folder = join(base, `${at % 40}`, `${at % 1000}`);
  if (at < 1000) mkdirSync(folder, { recursive: true });
  const paragraphs = Array.from(
    { length: 20 },
    (_, part) => `${part % 5 === 0 ? `## ${words(3)}\n\n` : ''}${words(60)}\n`,
  );
  writeFileSync(join(folder, `${at}.md`), `# ${words(2)}\n\n${paragraphs.join('\n')}`);
}

let count = 0;

/** As one would do it by hand: an ordinary table of FTS5, which keeps the texts, too. */
function plain(): number {
  const database = new DatabaseSync(join(home, `${count++}.db`));
  database.exec(`
    pragma journal_mode = wal; pragma synchronous = normal;
    create virtual table chunks using fts5(path, heading, body, tokenize='porter unicode61');
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
  const order = { basePath: base, roots: [base], maxFileBytes: 2 ** 20, maxFiles: 1_000_000 };
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
  if (question === 'plain') process.send?.({ ms: plain() });
  else void sync().then((result) => process.send?.(result));
});
process.on('SIGTERM', () => {
  rmSync(home, { recursive: true });
  process.exit();
});
process.send?.({ url: '', headers: {} });

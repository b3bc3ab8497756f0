import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isCorruption, openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { KeywordIndex } from '../../../../src/core/memory/index/keyword-index.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-index-'));
  file = join(home, 'memory.db');
});
afterEach(() => {
  chmodSync(home, 0o700);
  rmSync(home, { recursive: true });
});

const open = () => openIndexDatabase(file, 4);
const found = (database: DatabaseSync) => {
  const index = new KeywordIndex(database, 'chunk_words');
  return index.search(index.wordsOf('apple'), { limit: 2000 }).total;
};
function fill(texts: number): void {
  const database = open();
  const index = new KeywordIndex(database, 'chunk_words');
  database.exec('begin');
  for (let id = 1; id <= texts; id++) index.add(id, { label: '', heading: '', body: `apple ${id}` });
  database.exec('commit');
  database.close();
}
function reopened(): number {
  const database = open();
  const count = found(database);
  database.close();
  return count;
}

it('the index keeps its content in a file that only its owner can read', () => {
  fill(3);
  expect(reopened()).toBe(3);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('recreates an index that is damaged, truncated or of another version or program', () => {
  const damages = [
    () => writeFileSync(file, 'garbage '.repeat(1000)),
    () => truncateSync(file, statSync(file).size - 5000),
    () => truncateSync(file, 100),
    () => truncateSync(file, 0),
    () => new DatabaseSync(file).exec('pragma user_version = 99'),
    () => {
      rmSync(file);
      new DatabaseSync(file).exec('create table chunks (other)');
    },
  ];
  for (const damage of damages) {
    fill(1000);
    expect(reopened()).toBe(1000);
    damage();
    expect(reopened()).toBe(0);
    rmSync(file);
  }
});

it('recognizes damage that shows late', () => {
  fill(1000);
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xee, 8192));
  const database = open();
  expect.assertions(2);
  try {
    found(database);
  } catch (error) {
    expect(isCorruption(error)).toBe(true);
  }
  database.close();
  expect(isCorruption(new Error('no'))).toBe(false);
});

it('reports an unusable path and leaves it alone', () => {
  mkdirSync(file);
  writeFileSync(join(file, 'kept'), '');
  expect(open).toThrow(`cannot be opened at ${file}`);
  expect(existsSync(join(file, 'kept'))).toBe(true);
  file = join(home, 'missing', 'memory.db');
  expect(open).toThrow(/unable to open/);
});

it.skipIf(process.getuid?.() === 0)('leaves a valid read-only index alone', () => {
  fill(3);
  chmodSync(file, 0o400);
  chmodSync(home, 0o500);
  expect(open).toThrow(/cannot be opened/);
  chmodSync(home, 0o700);
  chmodSync(file, 0o600);
  expect(reopened()).toBe(3);
});

it('distinguishes damage from a full disk and a busy database', () => {
  expect(isCorruption(Object.assign(new Error('busy'), { errcode: 5 }))).toBe(false);
  expect(isCorruption(Object.assign(new Error('full'), { errcode: 13 }))).toBe(false);
  expect(isCorruption(Object.assign(new Error('corrupt table'), { errcode: 267 }))).toBe(true);
});

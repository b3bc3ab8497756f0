import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SharedFile } from '../../../../src/core/memory/index/index-calls.ts';
import { belongsTo, openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { createMemoryIndex } from '../../../../src/core/memory/index/memory-index.ts';

/** One index of a cluster. */
function openIndex(file: string) {
  const database = openIndexDatabase(file, 8);
  let unpublished = 0;
  const index = createMemoryIndex(
    database,
    { protectedDirectories: [], cluster: 'cluster_1' },
    {
      onProgress: () => undefined,
      onChange: () => undefined,
      onUnpublished: () => void unpublished++,
      onError: (error) => {
        throw error;
      },
      hasPendingCalls: () => false,
    },
  );
  return { ...index, database, hints: () => unpublished };
}
type Index = ReturnType<typeof openIndex>;

let base: string;
let folder: string;
let one: Index;
let other: Index;
/** What the database of the cluster has of the folder. */
let rev: number;
let rows: Map<string, SharedFile>;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'svc-shared-')));
  folder = join(base, 'docs');
  mkdirSync(folder);
  one = openIndex(join(base, 'one.db'));
  other = openIndex(join(base, 'other.db'));
  one.calls.addChunkIds({ from: 1000, to: 2000 });
  rev = 0;
  rows = new Map();
});
afterEach(async () => {
  await one.close();
  await other.close();
  rmSync(base, { recursive: true });
});

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const rules = () => ({ roots: [folder], elsewhere: [], maxFileBytes: 10_000, maxFiles: 1000 });
const sync = () => one.calls.syncDirectory({ basePath: folder, ...rules() });
const search = async ({ calls }: Index, text: string) =>
  (await calls.search({ text, maxResults: 10, minScore: 0 })).chunks;

/** Publishes what an index has changed. */
function publish({ calls }: Index) {
  const { files } = calls.unpublished(100);
  const before = rev;
  const published = files.map(({ path, version, file }) => {
    rows.set(path, { path, rev: ++rev, file });
    return { path, version, rev };
  });
  calls.published({ root: folder, before, rev, files: published });
  return files;
}

/** Gives an index what it has not. */
function pull({ calls }: Index, isKept = false) {
  const known = calls.sharedState().revs[folder] ?? 0;
  const files = [...rows.values()].filter((row) => row.rev > known).toSorted((a, b) => a.rev - b.rev);
  // As it travels.
  calls.applyFiles({ root: folder, files: JSON.parse(JSON.stringify(files)) as SharedFile[], rev, isKept });
}

describe('an index that others share', () => {
  it('gives its chunks ids of the cluster, and another index answers the same', async () => {
    write('apples.md', '# Apples\n\nApples grow on trees.\n\n# More\n\nPears do too.\n');
    write('pears.md', 'A pear is longer than an apple.\n');
    await sync();
    expect(one.hints()).toBeGreaterThan(0);
    publish(one);
    pull(other);
    for (const text of ['apple', 'pears trees', 'longer'])
      expect(await search(other, text)).toEqual(await search(one, text));
    const ids = (await search(other, 'apple pear')).map(({ id }) => Number(id.slice('chunk_'.length)));
    for (const id of ids) expect(id).toBeGreaterThanOrEqual(1000);
    expect(one.calls.unpublished(10).files).toEqual([]);
    expect(other.calls.unpublished(10).files).toEqual([]);
  });

  it('brings changes and removals, and publishes none of what it took over', async () => {
    write('a.md', 'apple\n');
    write('b.md', 'banana\n');
    await sync();
    publish(one);
    pull(other);
    write('a.md', 'apricot and more\n');
    rmSync(join(folder, 'b.md'));
    await sync();
    expect(publish(one).map(({ path, file }) => [path, file === undefined])).toEqual([
      [join(folder, 'b.md'), true],
      [join(folder, 'a.md'), false],
    ]);
    pull(other);
    expect(await search(other, 'apple banana')).toEqual([]);
    expect(await search(other, 'apricot')).toEqual(await search(one, 'apricot'));
    expect(other.hints()).toBe(0);
    expect(other.calls.stats(undefined)).toMatchObject({ fileCount: 1, chunkCount: 1 });
  });

  it('publishes a change that came while an older one was published', async () => {
    write('a.md', 'apple\n');
    await sync();
    const { files } = one.calls.unpublished(100);
    write('a.md', 'apricot and more\n');
    await sync();
    const [first] = files;
    if (!first) throw new Error('nothing was published');
    one.calls.published({
      root: folder,
      before: 0,
      rev: 1,
      files: [{ path: first.path, version: first.version, rev: 1 }],
    });
    expect(one.calls.unpublished(100).files.map(({ file }) => file?.chunks[0]?.text)).toEqual([
      'apricot and more',
    ]);
  });

  it('removes on the daemon that has the file what was removed on another one, until it changes', async () => {
    write('a.md', 'apple\n');
    write('b.md', 'banana\n');
    await sync();
    publish(one);
    pull(other);
    expect(other.calls.removeFile(join(folder, 'a.md'))).toBe(true);
    expect(other.calls.unpublished(100).files).toMatchObject([
      { path: join(folder, 'a.md'), isByUser: true, shared: { root: folder, rev: 1 }, file: undefined },
    ]);
    publish(other);
    pull(one, true);
    expect(await search(one, 'apple')).toEqual([]);
    const query = { text: 'apple', maxResults: 10, minScore: 0, sync: rules() };
    expect((await one.calls.search(query)).chunks).toEqual([]);
    write('a.md', 'apple again\n');
    // A search waits for changed files for a moment only.
    await vi.waitFor(async () => expect((await one.calls.search(query)).chunks).toHaveLength(1), 10_000);
  });

  it('keeps a newer change of its own file against an older one of others', async () => {
    write('a.md', 'apple\n');
    await sync();
    publish(one);
    pull(other);
    const [chunk] = await search(other, 'apple');
    other.calls.removeChunk(chunk?.id ?? '');
    publish(other);
    write('a.md', 'apricot and more\n');
    await sync();
    pull(one, true);
    expect(await search(one, 'apricot')).toHaveLength(1);
    publish(one);
    pull(other);
    expect(await search(other, 'apricot')).toEqual(await search(one, 'apricot'));
  });

  it('leaves files of other daemons alone in syncs and searches of its own', async () => {
    rows.set('/elsewhere/far.md', {
      path: '/elsewhere/far.md',
      rev: 1,
      file: {
        relativePath: '/far.md',
        hash: 'h',
        size: 5,
        stamp: 's',
        updatedAt: '2026-01-01T00:00:00.000Z',
        chunks: [{ id: 7, startLine: 1, endLine: 1, heading: '', text: 'far away apple' }],
      },
    });
    one.calls.applyFiles({
      root: '/elsewhere',
      files: [...rows.values()],
      rev: 1,
      isKept: false,
    });
    write('a.md', 'apple\n');
    const request = { ...rules(), elsewhere: ['/elsewhere'] };
    await one.calls.syncDirectory({ basePath: folder, ...request });
    const found = await one.calls.search({ text: 'apple', maxResults: 10, minScore: 0, sync: request });
    expect(found.chunks.map(({ path }) => path).toSorted()).toEqual([
      '/elsewhere/far.md',
      join(folder, 'a.md'),
    ]);
    expect(found.stale).toBe(false);
    // A sync that began before this daemon heard of the other folder.
    await one.calls.syncDirectory({ basePath: folder, ...rules() });
    await one.calls.keepOnly([folder]);
    expect(await search(one, 'far')).toHaveLength(1);
    one.calls.dropRoot({ root: '/elsewhere', isKept: false });
    expect(await search(one, 'far')).toEqual([]);
    expect(one.calls.unpublished(10).files.map(({ path }) => path)).toEqual([join(folder, 'a.md')]);
  });

  it('continues after a restart with the ids, the numbers and the changes that it had', async () => {
    write('a.md', 'apple\n');
    await sync();
    publish(one);
    write('b.md', 'banana\n');
    await sync();
    const { idsLeft } = one.calls.sharedState();
    await one.close();
    one = openIndex(join(base, 'one.db'));
    expect(one.calls.sharedState()).toEqual({ revs: { [folder]: 1 }, idsLeft });
    expect(publish(one).map(({ path }) => path)).toEqual([join(folder, 'b.md')]);
    pull(other);
    expect(new Set((await search(other, 'apple banana')).map(({ id }) => id)).size).toBe(2);
  });

  it('indexes nothing without an id of the cluster', async () => {
    write('a.md', 'apple\n');
    await expect(other.calls.syncDirectory({ basePath: folder, ...rules() })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(other.calls.stats(undefined)).toMatchObject({ fileCount: 0, chunkCount: 0 });
  });

  it('belongs to one cluster, or to none', async () => {
    expect(belongsTo(one.database, 'cluster_1')).toBe(true);
    expect(belongsTo(one.database, 'cluster_2')).toBe(false);
    expect(belongsTo(one.database, undefined)).toBe(false);
    const alone = openIndexDatabase(join(base, 'alone.db'), 8);
    expect(belongsTo(alone, undefined)).toBe(true);
    alone.exec(
      `insert into files (path, hash, size, stamp, chunk_count, updated_at) values ('/a', 'h', 1, 's', 0, '')`,
    );
    expect(belongsTo(alone, 'cluster_1')).toBe(false);
    alone.close();
  });
});

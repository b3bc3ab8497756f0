import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openIndex, orphans, pathsIn, createIndexedTree } from './indexed-tree.ts';

async function plantIndexed() {
  const world = createIndexedTree();
  world.write('a.md', '# One\nzebra\n# Two\nlion\n# Three\napple\n');
  world.write('b.ts', 'export const zebra = 1;\n');
  world.write('deep/c.txt', '');
  await world.syncDirectory();
  return world;
}

describe('FileStore', () => {
  it('lists files by path in pages', async () => {
    using world = await plantIndexed();
    const { files, total } = world.store.list({ limit: 2, offset: 1 });
    expect(total).toBe(3);
    expect(files).toEqual([
      {
        path: world.at('b.ts'),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        size: 24,
        chunkCount: 1,
        updatedAt: expect.stringMatching(/Z$/),
      },
      {
        path: world.at('deep/c.txt'),
        hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        size: 0,
        chunkCount: 0,
        updatedAt: expect.any(String),
      },
    ]);
    expect(world.store.list({ limit: 5, offset: 3 })).toEqual({ files: [], total: 3 });
    expect(world.store.counts()).toEqual({ fileCount: 3, chunkCount: 4 });
  });

  it('returns the chunks of a file in order and chunks by id', async () => {
    using world = await plantIndexed();
    const chunks = world.store.chunksOf(world.at('a.md')) ?? [];
    expect(chunks).toEqual([
      {
        id: expect.stringMatching(/^chunk_\d+$/),
        path: world.at('a.md'),
        startLine: 1,
        endLine: 2,
        text: '# One\nzebra',
        heading: 'One',
      },
      {
        id: expect.stringMatching(/^chunk_\d+$/),
        path: world.at('a.md'),
        startLine: 3,
        endLine: 4,
        text: '# Two\nlion',
        heading: 'Two',
      },
      {
        id: expect.stringMatching(/^chunk_\d+$/),
        path: world.at('a.md'),
        startLine: 5,
        endLine: 6,
        text: '# Three\napple',
        heading: 'Three',
      },
    ]);
    expect(world.store.chunksOf(world.at('deep/c.txt'))).toEqual([]);
    expect(world.store.chunksOf(world.at('deep'))).toBeUndefined();
    const ids = chunks.map(({ id }) => Number(id.slice('chunk_'.length)));
    expect(world.store.chunks([...ids, 999_999, -1])).toEqual(new Map(ids.map((id, at) => [id, chunks[at]])));
    expect(world.store.chunks([])).toEqual(new Map());
  });

  it('removes a chunk by its exact id only', async () => {
    using world = await plantIndexed();
    const path = world.at('a.md');
    const id = world.store.chunksOf(path)?.[1]?.id ?? '';
    const number = id.slice('chunk_'.length);
    for (const other of [
      '',
      'chunk_',
      number,
      `chunk_0${number}`,
      `chunk_${number}.0`,
      `chunk_+${number}`,
      `chunk_${number} `,
      `CHUNK_${number}`,
      'chunk_1e0',
      'chunk_-1',
      'chunk_9007199254740993',
      'chunk_99999999999999999999',
      `chunk_${number}\n`,
    ])
      expect([other, world.store.removeChunk(other)]).toEqual([other, false]);
    expect(world.store.removeChunk(id)).toBe(true);
    expect(world.store.removeChunk(id)).toBe(false);
    expect(world.find('lion')).toEqual([]);
    expect(world.store.list({ limit: 1, offset: 0 }).files[0]?.chunkCount).toBe(2);
    expect(orphans(world.database)).toBe(0);
  });

  it('reports added and removed chunks after each commit', async () => {
    using world = await plantIndexed();
    const chunks = world.store.chunksOf(world.at('a.md')) ?? [];
    const ids = chunks.map(({ id }) => Number(id.slice('chunk_'.length)));
    expect(world.changes.flatMap(({ added }) => added)).toEqual(expect.arrayContaining(ids));
    world.changes.length = 0;
    expect(world.store.removeFile(world.at('a.md'))).toBe(true);
    expect(world.store.removeFile(world.at('a.md'))).toBe(false);
    expect(world.changes).toEqual([{ added: [], removed: ids }]);
    world.changes.length = 0;
    world.write('b.ts', 'export const lion = 1;\n');
    await world.syncDirectory();
    expect(world.changes.map(({ added, removed }) => [added.length, removed.length])).toContainEqual([4, 1]);
  });

  it('keeps only files at or below the given folders', async () => {
    using world = await plantIndexed();
    world.write('deeper/d.txt');
    await world.syncDirectory();
    await world.store.keepOnly([world.at('deep'), world.at('a.md'), join(world.root, 'elsewhere')]);
    expect(world.paths()).toEqual(['a.md', 'deep/c.txt']);
    await world.store.keepOnly([world.root, world.base]);
    expect(world.paths()).toHaveLength(2);
    await world.store.keepOnly([]);
    expect(world.store.counts()).toEqual({ fileCount: 0, chunkCount: 0 });
    expect(orphans(world.database)).toBe(0);
  });

  it('the file store is empty after a clear and complete after the next sync', async () => {
    using world = await plantIndexed();
    const before = pathsIn(world.store);
    world.changes.length = 0;
    world.store.clear();
    expect(world.store.counts()).toEqual({ fileCount: 0, chunkCount: 0 });
    expect(world.changes).toEqual([{ added: [], removed: expect.objectContaining({ length: 4 }) }]);
    expect([world.find('zebra'), world.store.lastSyncAt(), orphans(world.database)]).toEqual([[], null, 0]);
    expect(await world.syncDirectory()).toMatchObject({ added: 3 });
    expect(pathsIn(world.store)).toEqual(before);
  });

  it('rolls back a failed transaction and reports no changes', async () => {
    using world = await plantIndexed();
    world.changes.length = 0;
    const known = world.store.known(world.at('a.md'));
    expect(() =>
      world.store.transaction(() => {
        if (known) world.store.remove(known);
        throw new Error('It did not work');
      }),
    ).toThrow('It did not work');
    expect(world.changes).toEqual([]);
    expect(world.store.counts()).toEqual({ fileCount: 3, chunkCount: 4 });
    expect(world.find('lion')).toEqual(['a.md']);
  });

  it('reports a full disk and keeps its content', async () => {
    using world = await plantIndexed();
    const before = world.store.counts();
    const pages = Number(world.database.prepare('pragma page_count').get()?.['page_count']);
    world.database.exec(`pragma max_page_count = ${pages + 20}`);
    for (let at = 0; at < 40; at++) world.write(`full/${at}`, `zebra ${at} ${'full '.repeat(5000)}`);
    world.changes.length = 0;
    await expect(world.syncDirectory()).rejects.toMatchObject({ code: 'storage_full' });
    const { fileCount, chunkCount } = world.store.counts();
    expect([orphans(world.database), world.sync.progress]).toEqual([0, undefined]);
    expect(chunkCount - before.chunkCount).toBe(world.changes.flatMap(({ added }) => added).length);
    world.database.exec('pragma max_page_count = 1000000');
    expect(await world.syncDirectory()).toMatchObject({ synced: 43, added: 43 - fileCount });
    expect(world.find('zebra')).toHaveLength(42);
  });

  it('the file store is consistent after a kill at any moment', { timeout: 180_000 }, async () => {
    using world = createIndexedTree();
    for (let at = 0; at < 300; at++) world.write(`${at}.md`, `# ${at}\n${'zebra and lion\n'.repeat(at)}`);
    world.database.close();
    let wasCut = 0;
    for (let round = 0; round < 8; round++) {
      const child = fork(new URL('syncing-process.ts', import.meta.url), [
        join(world.root, 'killed.db'),
        world.base,
      ]);
      const ended = once(child, 'exit');
      // Each one gets further than the one before.
      for (let commits = 0; commits <= round && child.exitCode === null; commits++)
        await Promise.race([once(child, 'message'), ended]);
      child.kill('SIGKILL');
      await ended;
      const index = openIndex(join(world.root, 'killed.db'));
      const { fileCount } = index.store.counts();
      if (fileCount > 0 && fileCount < 300) wasCut++;
      expect(orphans(index.database)).toBe(0);
      expect(index.keywords.search({ words: ['zebra'], leftOut: [] }, { limit: 1 }).total).toBe(
        Number(
          index.database.prepare("select count(*) as n from chunks where text like '%zebra%'").get()?.['n'],
        ),
      );
      index.database.close();
    }
    expect(wasCut).toBeGreaterThan(0);
  });
});

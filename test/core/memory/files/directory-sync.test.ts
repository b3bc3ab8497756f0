import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { find, openIndex, orphans, pathsIn, createIndexedTree } from './indexed-tree.ts';

/** Root may read everything, so that it must not be root who tries. */
async function asNobody(directory: string, work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return work();
  chmodSync(directory, 0o755);
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe('a sync of a folder', () => {
  it('counts added, updated and removed files exactly', async () => {
    using world = createIndexedTree();
    for (const path of ['a.md', 'b.ts', 'deep/er/c.txt', '.hidden/d.yml', 'empty']) world.write(path);
    world.write('empty', '');
    expect(await world.syncDirectory()).toEqual({
      synced: 5,
      added: 5,
      updated: 0,
      removed: 0,
      skipped: 0,
      reasons: {},
      cancelled: false,
    });
    expect(world.paths()).toEqual(['.hidden/d.yml', 'a.md', 'b.ts', 'deep/er/c.txt', 'empty']);
    world.write('a.md', 'changed zebra\n');
    world.write('new.md');
    rmSync(world.at('deep'), { recursive: true });
    utimesSync(world.at('b.ts'), 1, 1);
    expect(await world.syncDirectory()).toMatchObject({ synced: 5, added: 1, updated: 1, removed: 1 });
    expect(world.find('zebra')).toEqual(['a.md']);
    expect(await world.syncDirectory()).toMatchObject({ synced: 5, added: 0, updated: 0, removed: 0 });
    expect(orphans(world.database)).toBe(0);
  });

  it('skips files that may not be indexed and counts the reasons', async () => {
    using world = createIndexedTree(['own']);
    world.write('own/secret.txt');
    world.write('.env');
    world.write('.ssh/config');
    world.write('image', Buffer.from([137, 80, 0, 1]));
    world.write('huge', 'x'.repeat(20_000));
    world.write('latin1', Buffer.from('caf\u00e9', 'latin1'));
    world.write('large', 'x'.repeat(1001));
    world.write('node_modules/a/index.js');
    world.write('.git/config');
    world.write('__pycache__/a.py');
    world.write('fits', 'x'.repeat(1000));
    symlinkSync(world.at('fits'), world.at('link'));
    symlinkSync(world.root, world.at('up'));
    expect(await world.syncDirectory({ maxFileBytes: 1000 })).toMatchObject({
      added: 1,
      skipped: 9,
      reasons: { protected: 1, secret: 2, binary: 2, 'too large': 2, link: 2 },
    });
  });

  it('removes files that became binary, too large, secret, ignored or a symlink', async () => {
    using world = createIndexedTree();
    for (const path of ['a', 'b', 'c', 'd', 'e', 'f/g']) world.write(path);
    await world.syncDirectory();
    world.write('a', Buffer.from([0]));
    world.write('b', 'x'.repeat(2000));
    renameSync(world.at('c'), world.at('id_rsa'));
    world.write('.gitignore', 'd\n');
    rmSync(world.at('e'));
    symlinkSync(world.at('d'), world.at('e'));
    renameSync(world.at('f'), world.at('real'));
    symlinkSync(world.at('real'), world.at('f'));
    expect(await world.syncDirectory({ maxFileBytes: 1000 })).toMatchObject({ added: 2, removed: 6 });
    expect(world.paths()).toEqual(['.gitignore', 'real/g']);
    expect(orphans(world.database)).toBe(0);
  });

  it('handles files that become folders, the reverse, and names that change case', async () => {
    using world = createIndexedTree();
    world.write('one');
    world.write('two/below');
    world.write('Case');
    await world.syncDirectory();
    rmSync(world.at('one'));
    world.write('one/below');
    rmSync(world.at('two'), { recursive: true });
    world.write('two');
    renameSync(world.at('Case'), world.at('case'));
    expect(await world.syncDirectory()).toMatchObject({ added: 3, removed: 3 });
    expect(world.paths()).toEqual(['case', 'one/below', 'two']);
  });

  it('detects binary content anywhere in a file', async () => {
    using world = createIndexedTree();
    for (const size of [0, 8191, 8192, 500_000])
      world.write(`nul${size}`, Buffer.concat([Buffer.alloc(size, 97), Buffer.from([0, 97])]));
    world.write('cut', Buffer.concat([Buffer.alloc(8191, 97), Buffer.from('é')]).subarray(0, 8192));
    world.write('fine', Buffer.concat([Buffer.alloc(8191, 97), Buffer.from('é')]));
    expect(await world.syncDirectory()).toMatchObject({ added: 1, reasons: { binary: 5 } });
    expect(world.paths()).toEqual(['fine']);
  });

  it('keeps files and folders that are unreadable now', async () => {
    using world = createIndexedTree();
    world.write('closed/a');
    world.write('closed/deep/b');
    world.write('c');
    await world.syncDirectory();
    world.write('c', 'other');
    chmodSync(world.at('closed'), 0);
    chmodSync(world.at('c'), 0);
    await asNobody(world.root, async () => {
      const outcome = await world.syncDirectory();
      expect(outcome).toMatchObject({ removed: 0, skipped: 2, reasons: { unreadable: 2 } });
      expect(world.syncPaths(['closed/a', 'closed', 'c']).outcome).toMatchObject({ removed: 0 });
    });
    chmodSync(world.at('closed'), 0o700);
    expect(world.paths()).toEqual(['c', 'closed/a', 'closed/deep/b']);
  });

  it('reads a file again that changed while it was read', async () => {
    using world = createIndexedTree();
    for (let attempt = 0; attempt < 20; attempt++) {
      world.write('a', `same length ${attempt % 10}`);
      await world.syncDirectory();
      world.write('a', `other words ${attempt % 10}`);
      await world.syncDirectory();
      expect(world.find('other')).toEqual(['a']);
    }
  });

  it('removes only files below its folder and files outside of all roots', async () => {
    using world = createIndexedTree();
    const other = join(world.root, 'other');
    for (const path of ['in/a', 'out/b', join(other, 'c')]) world.write(path);
    const roots = [world.base, other];
    await world.syncDirectory({ roots });
    await world.syncDirectory({ basePath: other, roots });
    expect(pathsIn(world.store)).toHaveLength(3);
    rmSync(world.at('out/b'));
    expect(await world.syncDirectory({ basePath: world.at('in'), roots })).toMatchObject({
      synced: 1,
      removed: 0,
    });
    expect(await world.syncDirectory({ basePath: world.at('in') })).toMatchObject({ synced: 1, removed: 1 });
    expect(world.paths()).toEqual(['in/a', 'out/b']);
  });

  it('syncs a root that the rules of its outer root exclude', async () => {
    using world = createIndexedTree();
    mkdirSync(world.at('.git'));
    world.write('.gitignore', 'build/\n*.log\n');
    world.write('build/docs/a.md');
    world.write('build/b.md');
    world.write('node_modules/c/c.md');
    const roots = [world.base, world.at('build/docs'), world.at('node_modules/c')];
    expect(await world.syncDirectory({ roots })).toMatchObject({ added: 3 });
    for (const basePath of roots)
      expect(await world.syncDirectory({ basePath, roots })).toMatchObject({ removed: 0 });
    expect(world.paths()).toEqual(['.gitignore', 'build/docs/a.md', 'node_modules/c/c.md']);
    // What is below a folder that is left out is not meant, whichever way it is synced.
    expect(await world.syncDirectory({ basePath: world.at('build'), roots })).toMatchObject({
      synced: 1,
      added: 0,
    });
  });

  it('applies the rules of the outer repository and of nested ones', async () => {
    using world = createIndexedTree();
    mkdirSync(world.at('.git/info'), { recursive: true });
    world.write('.git/info/exclude', 'private\n');
    world.write('.gitignore', '*.log\n/top.md\n');
    for (const path of [
      'sub/a.log',
      'sub/top.md',
      'sub/private/x',
      'top.md',
      'sub/own/.git/HEAD',
      'sub/own/b.log',
    ])
      world.write(path);
    world.write('sub/own/.gitignore', 'c.md');
    world.write('sub/own/c.md');
    const expected = ['sub/own/.gitignore', 'sub/own/b.log', 'sub/top.md'];
    await world.syncDirectory({ basePath: world.at('sub'), roots: [world.at('sub')] });
    expect(world.paths()).toEqual(expected);
    await world.syncDirectory();
    expect(world.paths()).toEqual(['.gitignore', ...expected]);
  });

  it('stops at the file limit and keeps indexed files', async () => {
    using world = createIndexedTree();
    for (let at = 0; at < 10; at++) world.write(`f${at}`);
    expect(await world.syncDirectory({ maxFiles: 4 })).toMatchObject({
      added: 4,
      skipped: 6,
      reasons: { 'over the limit of files': 6 },
    });
    world.write('a');
    await world.syncDirectory({ maxFiles: 4 });
    expect(world.paths()).toEqual(['f0', 'f1', 'f2', 'f3']);
    expect(await world.syncDirectory({ maxFiles: 2 })).toMatchObject({ removed: 2 });
    expect(world.store.counts().fileCount).toBe(2);
  });

  it('keeps a deleted chunk out until its file changes and a deleted file until the next sync', async () => {
    using world = createIndexedTree();
    const path = world.write('a.md', '# A\nzebra\n# B\nlion\n');
    await world.syncDirectory();
    const chunk = world.store.chunksOf(path)?.[0];
    expect(world.store.removeChunk(chunk?.id ?? '')).toBe(true);
    await world.syncDirectory();
    expect(world.find('zebra')).toEqual([]);
    world.write('a.md', '# A\nzebra\n# B\nlions\n');
    await world.syncDirectory();
    expect(world.find('zebra')).toEqual(['a.md']);
    expect(world.store.removeFile(path)).toBe(true);
    expect(world.find('zebra')).toEqual([]);
    expect(await world.syncDirectory()).toMatchObject({ added: 1 });
  });

  it('yields soon while calls wait and uses larger transactions otherwise', async () => {
    using world = createIndexedTree();
    for (let at = 0; at < 300; at++) world.write(`${at % 30}/${at}.md`, `# ${at}\nsome words to be found\n`);
    // Each look at the clock is a millisecond.
    const turnsOf = async (name: string, hasPendingCalls: () => boolean) => {
      let now = 0;
      using index = openIndex(join(world.root, name), [], { hasPendingCalls, monotonic: () => ++now });
      let isOver = false;
      let turns = 0;
      const others = (async () => {
        while (!isOver) {
          await setImmediate();
          turns++;
          // It searches a whole index at any time.
          expect(orphans(index.database)).toBe(0);
        }
      })();
      await index.sync.syncDirectory(world.request);
      isOver = true;
      await others;
      expect(find(index, 'words')).toHaveLength(300);
      return { turns, commits: index.changes.length };
    };
    let syncedPaths = 0;
    const alone = await turnsOf('alone.db', () => ++syncedPaths < 0);
    expect(syncedPaths).toBeGreaterThan(300);
    const pendingCalls = await turnsOf('awaited.db', () => true);
    expect(pendingCalls.commits).toBeGreaterThan(20);
    expect(pendingCalls.commits).toBeGreaterThan(5 * alone.commits);
    expect(pendingCalls.turns).toBeGreaterThanOrEqual(pendingCalls.commits);
  });
});

it('estimates the remaining time of a sync from the files read so far', async () => {
  using world = createIndexedTree();
  for (let at = 0; at < 20; at++) world.write(`${at}.md`);
  let ms = 0;
  using index = openIndex(join(world.root, 'other.db'), [], { monotonic: () => (ms += 300) });
  await index.sync.syncDirectory(world.request);
  const estimates = index.progress.filter(({ remainingMs }) => remainingMs !== undefined);
  expect(estimates.length).toBeGreaterThan(2);
  expect(estimates.every(({ phase }) => phase !== 'looking')).toBe(true);
  expect(estimates.at(-1)).toMatchObject({ done: 20, remainingMs: 0 });
  for (const { done, remainingMs = 0 } of estimates.slice(0, -2)) {
    expect(done).toBeLessThan(20);
    expect(remainingMs).toBeGreaterThan(0);
  }
});

import { renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { waitFor, WatchedTree } from './watched-tree.ts';

/** The paths that a scan marks. */
async function scan(its: WatchedTree): Promise<string[]> {
  await its.scanner.scan([its.root]);
  const before = its.index.syncedPaths.length;
  await its.dirty.sync(its.rules, Infinity);
  return [...new Set(its.index.syncedPaths.slice(before))]
    .map((path) => path.slice(its.root.length + 1))
    .sort();
}

/** Stamps of files are coarse. */
const laterThan = async (since: number) => waitFor(() => Date.now() - since > 120);

describe('a scan of all files', () => {
  it('finds exactly the files that changed, were added or removed', async () => {
    await using its = new WatchedTree();
    for (const name of ['a.md', 'b.md', 'deep/er/c.md', 'deep/d.md']) its.write(name, 'old');
    await its.sync();
    expect(await scan(its)).toEqual([]);
    its.write('a.md', 'new');
    rmSync(its.path('deep/d.md'));
    its.write('deep/er/e.md', 'new');
    expect(await scan(its)).toEqual(['a.md', 'deep/d.md', 'deep/er/e.md']);
    its.write('f.md', 'new');
    expect(await scan(its)).toContain('f.md');
    await laterThan(Date.now());
    await scan(its);
    expect(await scan(its)).toEqual([]);
  });

  it('finds changes since the last sync when the thread starts', async () => {
    await using its = new WatchedTree();
    for (const name of ['a.md', 'deep/b.md', 'gone.md']) its.write(name, 'old');
    await laterThan(Date.now());
    await its.index.sync.syncDirectory({ basePath: its.root, ...its.rules });
    await laterThan(Date.now());
    its.index.store.removeFile(its.path('gone.md'));
    its.write('deep/c.md', 'new');
    expect(await scan(its)).toEqual(['deep/c.md']);
  });

  it('finds a moved folder with files older than the last sync', async () => {
    await using its = new WatchedTree();
    its.write('a.md', 'old');
    await using other = new WatchedTree();
    const file = other.write('moved/deep/b.md', 'old');
    utimesSync(file, 1, 1);
    await laterThan(Date.now());
    await its.sync();
    renameSync(other.path('moved'), its.path('moved'));
    expect(await scan(its)).toEqual(['moved']);
    expect(its.index.search('old').paths).toContain(its.path('moved/deep/b.md'));
    expect(await scan(its)).toEqual([]);
  });

  it('finds a folder that replaced another', async () => {
    await using its = new WatchedTree();
    its.write('folder/a.md', 'old');
    its.write('other/b.md', 'old');
    its.write('other/deep/c.md', 'old');
    await its.sync();
    expect(await scan(its)).toEqual([]);
    await laterThan(Date.now());
    expect(await scan(its)).toEqual([]);
    rmSync(its.path('folder'), { recursive: true });
    renameSync(its.path('other'), its.path('folder'));
    await scan(its);
    expect(its.index.search('old').paths).toEqual([its.path('folder/b.md'), its.path('folder/deep/c.md')]);
  });

  it('ignores files removed from the index until they change', async () => {
    await using its = new WatchedTree();
    its.write('a.md', 'old');
    await its.sync();
    its.remove('a.md');
    its.write('b.md', 'new');
    expect(await scan(its)).toEqual(['b.md']);
    its.write('a.md', 'new');
    its.write('c.md', 'new');
    expect(await scan(its)).toEqual(expect.arrayContaining(['a.md', 'c.md']));
  });

  it('ignores files that existed when the index was cleared', async () => {
    await using its = new WatchedTree();
    its.write('a.md', 'old');
    await its.sync();
    await scan(its);
    await laterThan(Date.now());
    its.scanner.recordCleared();
    its.index.store.clear();
    its.index.store.setLastSyncAt(new Date().toISOString());
    await laterThan(Date.now());
    its.write('b.md', 'new');
    expect(await scan(its)).toEqual(['b.md']);
  });

  it('ignores folders that were never synced', async () => {
    await using its = new WatchedTree();
    its.write('a.md', 'old');
    expect(await scan(its)).toEqual([]);
  });

  it('marks a whole folder when its .gitignore was added, changed or removed', async () => {
    await using its = new WatchedTree();
    its.write('deep/a.md', 'old');
    await its.sync();
    expect(await scan(its)).toEqual([]);
    its.write('deep/.gitignore', 'x');
    expect(await scan(its)).toContain('deep/.gitignore');
    await laterThan(Date.now());
    await scan(its);
    expect(await scan(its)).toEqual([]);
    its.write('deep/.gitignore', 'yy');
    expect(await scan(its)).toContain('deep/.gitignore');
    rmSync(its.path('deep/.gitignore'));
    expect(await scan(its)).toContain('deep/.gitignore');
  });

  it('enters no symlink and no folder that is never indexed', async () => {
    await using its = new WatchedTree();
    await using other = new WatchedTree();
    other.write('b.md', 'secret');
    its.write('a.md', 'old');
    await its.sync();
    symlinkSync(other.root, its.path('link'));
    symlinkSync(other.path('b.md'), its.path('link.md'));
    its.write('node_modules/c.md', 'new');
    its.write('data/c.md', 'new');
    its.write('.git/c.md', 'new');
    expect(await scan(its)).toEqual([]);
  });

  it('yields, and starts the next scan after the call', async () => {
    await using its = new WatchedTree();
    for (let n = 0; n < 3000; n++) its.write(`${n % 30}/${n}.md`, 'text');
    await its.sync();
    const first = its.scanner.scan([its.root]);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await new Promise(setImmediate);
    its.write('new.md', 'new');
    await Promise.all([first, its.scanner.scan([its.root])]);
    isDone = true;
    expect(turns).toBeGreaterThan(2);
    expect(its.dirty.covers(its.path('new.md'))).toBe(true);
    expect(its.scanner.lastDurationMs).toBeGreaterThan(0);
  });
});

import { renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { waitFor, WatchedWorld } from './watched-tree.ts';

/** What a round marks, synced and searched. */
async function round(its: WatchedWorld): Promise<string[]> {
  await its.round.scan([its.root]);
  const before = its.index.asked.length;
  await its.dirty.sync(its.rules, Infinity);
  return [...new Set(its.index.asked.slice(before))].map((path) => path.slice(its.root.length + 1)).sort();
}

/** Stamps of files are coarse. */
const laterThan = async (since: number) => waitFor(() => Date.now() - since > 120);

describe('a round over all files', () => {
  it('finds what changed, came and went, and nothing else', async () => {
    await using its = new WatchedWorld();
    for (const name of ['a.md', 'b.md', 'deep/er/c.md', 'deep/d.md']) its.write(name, 'old');
    await its.sync();
    expect(await round(its)).toEqual([]);
    its.write('a.md', 'new');
    rmSync(its.path('deep/d.md'));
    its.write('deep/er/e.md', 'new');
    expect(await round(its)).toEqual(['a.md', 'deep/d.md', 'deep/er/e.md']);
    its.write('f.md', 'new');
    expect(await round(its)).toContain('f.md');
    await laterThan(Date.now());
    await round(its);
    expect(await round(its)).toEqual([]);
  });

  it('finds what happened after the last sync when the thread begins', async () => {
    await using its = new WatchedWorld();
    for (const name of ['a.md', 'deep/b.md', 'gone.md']) its.write(name, 'old');
    await laterThan(Date.now());
    await its.index.sync.syncDirectory({ basePath: its.root, ...its.rules });
    await laterThan(Date.now());
    its.index.store.removeFile(its.path('gone.md'));
    its.write('deep/c.md', 'new');
    expect(await round(its)).toEqual(['deep/c.md']);
  });

  it('finds a folder that was moved here with files older than the last sync', async () => {
    await using its = new WatchedWorld();
    its.write('a.md', 'old');
    await using other = new WatchedWorld();
    const file = other.write('moved/deep/b.md', 'old');
    utimesSync(file, 1, 1);
    await laterThan(Date.now());
    await its.sync();
    renameSync(other.path('moved'), its.path('moved'));
    expect(await round(its)).toEqual(['moved']);
    expect(its.index.search('old').paths).toContain(its.path('moved/deep/b.md'));
    expect(await round(its)).toEqual([]);
  });

  it('finds a folder that took the place of another', async () => {
    await using its = new WatchedWorld();
    its.write('folder/a.md', 'old');
    its.write('other/b.md', 'old');
    its.write('other/deep/c.md', 'old');
    await its.sync();
    expect(await round(its)).toEqual([]);
    await laterThan(Date.now());
    expect(await round(its)).toEqual([]);
    rmSync(its.path('folder'), { recursive: true });
    renameSync(its.path('other'), its.path('folder'));
    await round(its);
    expect(its.index.search('old').paths).toEqual([its.path('folder/b.md'), its.path('folder/deep/c.md')]);
  });

  it('leaves alone what somebody took out of the index, until it changes', async () => {
    await using its = new WatchedWorld();
    its.write('a.md', 'old');
    await its.sync();
    its.remove('a.md');
    its.write('b.md', 'new');
    expect(await round(its)).toEqual(['b.md']);
    its.write('a.md', 'new');
    its.write('c.md', 'new');
    expect(await round(its)).toEqual(expect.arrayContaining(['a.md', 'c.md']));
  });

  it('leaves alone what was there when everything was taken out', async () => {
    await using its = new WatchedWorld();
    its.write('a.md', 'old');
    await its.sync();
    await round(its);
    await laterThan(Date.now());
    its.round.recordCleared();
    its.index.store.clear();
    its.index.store.setLastSyncAt(new Date().toISOString());
    await laterThan(Date.now());
    its.write('b.md', 'new');
    expect(await round(its)).toEqual(['b.md']);
  });

  it('begins nothing that nobody ever synced', async () => {
    await using its = new WatchedWorld();
    its.write('a.md', 'old');
    expect(await round(its)).toEqual([]);
  });

  it('looks at a whole folder again whose .gitignore came, changed or went', async () => {
    await using its = new WatchedWorld();
    its.write('deep/a.md', 'old');
    await its.sync();
    expect(await round(its)).toEqual([]);
    its.write('deep/.gitignore', 'x');
    expect(await round(its)).toContain('deep/.gitignore');
    await laterThan(Date.now());
    await round(its);
    expect(await round(its)).toEqual([]);
    its.write('deep/.gitignore', 'yy');
    expect(await round(its)).toContain('deep/.gitignore');
    rmSync(its.path('deep/.gitignore'));
    expect(await round(its)).toContain('deep/.gitignore');
  });

  it('goes into no link and no folder that is never indexed', async () => {
    await using its = new WatchedWorld();
    await using other = new WatchedWorld();
    other.write('b.md', 'secret');
    its.write('a.md', 'old');
    await its.sync();
    symlinkSync(other.root, its.path('link'));
    symlinkSync(other.path('b.md'), its.path('link.md'));
    its.write('node_modules/c.md', 'new');
    its.write('data/c.md', 'new');
    its.write('.git/c.md', 'new');
    expect(await round(its)).toEqual([]);
  });

  it('lets others through, and the next begins after whoever asks', async () => {
    await using its = new WatchedWorld();
    for (let n = 0; n < 3000; n++) its.write(`${n % 30}/${n}.md`, 'text');
    await its.sync();
    const first = its.round.scan([its.root]);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await new Promise(setImmediate);
    its.write('new.md', 'new');
    await Promise.all([first, its.round.scan([its.root])]);
    isDone = true;
    expect(turns).toBeGreaterThan(2);
    expect(its.dirty.covers(its.path('new.md'))).toBe(true);
    expect(its.round.lastDurationMs).toBeGreaterThan(0);
  });
});

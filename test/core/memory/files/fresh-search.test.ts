import { renameSync, rmSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { waitFor, WatchedTree } from './watched-tree.ts';

const fresh = { stale: false, stalePaths: new Set() };

describe.each(['watched', 'not watched'])('a search in folders that are %s', (how) => {
  async function world(files: string[]): Promise<WatchedTree> {
    const its = new WatchedTree();
    for (const name of files) its.write(name, `old ${name}`);
    await its.sync();
    if (how === 'watched') await its.start();
    return its;
  }

  it('finds files that were saved just before the search', async () => {
    await using its = await world(['a.md', 'deep/b.md']);
    expect(await its.search('old')).toEqual({ names: ['a.md', 'deep/b.md'], autoSynced: false, ...fresh });
    for (let n = 0; n < 30; n++) {
      its.write('deep/b.md', `new ${n}.`);
      expect(await its.search(`new ${n}.`)).toEqual({ names: ['deep/b.md'], autoSynced: true, ...fresh });
    }
    expect(await its.search('new 29.')).toEqual({ names: ['deep/b.md'], autoSynced: false, ...fresh });
  });

  it('finds new files and folders, moved ones at their new path, and no removed ones', async () => {
    await using its = await world(['a.md', 'b/b.md', 'b/deep/c.md']);
    its.write('a2.md', 'new');
    its.write('x/y/z.md', 'new');
    expect(await its.search('new')).toEqual({ names: ['a2.md', 'x/y/z.md'], autoSynced: true, ...fresh });
    its.write('x/y/later.md', 'newer');
    expect((await its.search('newer')).names).toEqual(['x/y/later.md']);
    renameSync(its.path('b'), its.path('c'));
    expect(await its.search('old')).toEqual({
      names: ['a.md', 'c/b.md', 'c/deep/c.md'],
      autoSynced: true,
      ...fresh,
    });
    rmSync(its.path('c'), { recursive: true });
    expect(await its.search('old')).toEqual({ names: ['a.md'], autoSynced: true, ...fresh });
  });

  it('leaves out files removed from the index until they change', async () => {
    await using its = await world(['a.md', 'b.md']);
    its.dirty.mark(its.path('b.md'));
    its.remove('b.md');
    its.write('c.md', 'old');
    expect((await its.search('old')).names).toEqual(['a.md', 'c.md']);
    its.write('b.md', 'old again');
    expect((await its.search('old')).names).toEqual(['a.md', 'b.md', 'c.md']);
  });

  it('answers from the index and reports stale when a sync fails', async () => {
    await using its = await world(['a.md', 'b.md']);
    its.index.failure = new Error('The disk is full');
    its.write('a.md', 'old and new');
    expect(await its.search('old')).toEqual({
      names: ['a.md', 'b.md'],
      autoSynced: false,
      stale: true,
      stalePaths: new Set([its.path('a.md')]),
    });
    expect(its.errors).toContain(its.index.failure);
    its.index.failure = undefined;
    expect(await its.search('new')).toEqual({ names: ['a.md'], autoSynced: true, ...fresh });
  });

  it('returns files of a missing root marked as stale', async () => {
    await using its = await world(['a.md']);
    renameSync(its.root, `${its.root}-away`);
    const path = its.path('a.md');
    expect(await its.search('old')).toMatchObject({
      names: ['a.md'],
      stale: true,
      stalePaths: new Set([path]),
    });
    renameSync(`${its.root}-away`, its.root);
    await waitFor(() => how === 'not watched' || its.watch.isCurrent);
    expect(await its.search('old')).toMatchObject({ names: ['a.md'], stale: false });
  });

  it('does not wait for a folder sync and reports stale', async () => {
    await using its = await world(['a.md']);
    const syncing = its.index.sync.syncDirectory({ basePath: its.root, ...its.rules });
    const line = its.index.sync.syncDirectory({ basePath: its.path('.'), ...its.rules });
    expect(await its.search('old')).toMatchObject({ names: ['a.md'], stale: true });
    await Promise.all([syncing, line]);
    expect(await its.search('old')).toMatchObject({ names: ['a.md'], stale: false });
  });
});

describe('a search', () => {
  it('notices a changed file without an event', async () => {
    await using its = new WatchedTree();
    its.write('a.md', 'old');
    await its.sync();
    await its.start();
    for (const watcher of its.opened) await watcher.close();
    its.write('a.md', 'old and new');
    expect(await its.search('old')).toEqual({ names: ['a.md'], autoSynced: true, ...fresh });
    its.write('a.md', 'nothing');
    expect(await its.search('old')).toEqual({ names: [], autoSynced: true, ...fresh });
  });

  it('leaves slow syncs to the next search and reports stale', async () => {
    await using its = new WatchedTree();
    for (let n = 0; n < 1000; n++) its.write(`${n}.md`, 'old');
    await its.sync();
    await its.start();
    let ms = (its.ownMs = 1_000_000);
    its.index.hasNoDeadline = true;
    its.index.onSync = () => (its.ownMs = ms += 60);
    for (let n = 0; n < 1000; n++) its.write(`${n}.md`, 'old and new');
    const first = await its.search('old');
    expect(first).toMatchObject({ autoSynced: true, stale: true, names: { length: 1000 } });
    expect(first.stalePaths.size).toBeGreaterThan(100);
    expect(its.index.search('new').paths.length).toBeGreaterThanOrEqual(1000 - first.stalePaths.size);
    its.index.onSync = () => undefined;
    expect(await its.search('new')).toMatchObject({ names: { length: 1000 }, autoSynced: true, ...fresh });
  });

  it('does not wait for slow scans but runs one in the background at intervals', async () => {
    await using its = new WatchedTree();
    for (let n = 0; n < 300; n++) its.write(`${n}.md`, 'old');
    await its.sync();
    let ms = (its.ownMs = 1_000_000);
    its.index.hasNoDeadline = true;
    its.index.onCheck = () => (its.ownMs = ms += 60);
    await its.scanner.scan([its.root]);
    its.index.onCheck = () => undefined;
    expect(its.scanner.lastDurationMs).toBeGreaterThan(100);
    its.write('5.md', 'new');
    expect(await its.search('new')).toEqual({
      names: [],
      autoSynced: false,
      stale: true,
      stalePaths: new Set(),
    });
    expect(its.dirty.isEmpty).toBe(true);
    its.ownMs = ms += 2000;
    expect((await its.search('new')).stale).toBe(true);
    await waitFor(() => its.dirty.covers(its.path('5.md')) || its.index.search('new').paths.length > 0);
    expect(await its.search('new')).toMatchObject({ names: ['5.md'] });
  });

  it('finds a file saved with the same length and mtime', async () => {
    await using its = new WatchedTree();
    utimesSync(its.write('a.md', 'old 1'), 1, 1);
    await its.sync();
    utimesSync(its.write('a.md', 'old 2'), 1, 1);
    expect(await its.search('old 2')).toEqual({ names: ['a.md'], autoSynced: true, ...fresh });
  });
});

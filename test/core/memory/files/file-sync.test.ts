import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type IndexedTree, orphans, createIndexedTree } from './indexed-tree.ts';

function plantMany(world: IndexedTree, count: number, words = 400): void {
  for (let at = 0; at < count; at++)
    world.write(`${at % 10}/${at}.md`, `# ${at}\n${'many words\n'.repeat(words)}`);
}

describe('FileSync', () => {
  it('reports progress from start to finish', async () => {
    using world = createIndexedTree();
    plantMany(world, 50);
    const sync = world.syncDirectory();
    await setImmediate();
    expect(world.sync.progress).toMatchObject({ basePath: world.base, phase: 'looking' });
    await sync;
    expect(world.sync.progress).toBeUndefined();
    const phases = world.progress.map(({ phase }) => phase);
    expect(phases.toSorted((a, b) => request.indexOf(a) - request.indexOf(b))).toEqual(phases);
    expect(world.progress[0]).toEqual({ basePath: world.base, phase: 'looking', done: 0 });
    expect(world.progress.find(({ phase }) => phase === 'reading')).toMatchObject({ done: 0, total: 50 });
    expect(world.progress.at(-1)).toEqual({ basePath: world.base, phase: 'done', done: 50, total: 50 });
    expect(world.store.lastSyncAt()).toBe(new Date(world.store.lastSyncAt() ?? '').toISOString());
  });

  const request = ['looking', 'reading', 'done'];

  it('runs one sync at a time and shares identical queued requests', async () => {
    using world = createIndexedTree();
    plantMany(world, 30);
    mkdirSync(world.at('other'));
    const first = world.syncDirectory();
    const second = world.syncDirectory();
    const third = world.syncDirectory();
    const other = world.syncDirectory({ basePath: world.at('other') });
    world.write('late.md');
    expect(await second).toBe(await third);
    expect(await second).not.toBe(await first);
    await other;
    expect(world.paths()).toContain('late.md');
    const bases = world.progress.filter(({ phase }) => phase === 'done').map(({ basePath }) => basePath);
    expect(bases).toEqual([world.base, world.base, world.at('other')]);
    const ends = world.progress.flatMap(({ phase }, at) => (phase === 'done' ? [at] : []));
    const starts = world.progress.flatMap(({ phase, done }, at) =>
      phase === 'looking' && done === 0 ? [at] : [],
    );
    expect(starts.slice(1).every((start, at) => start > (ends[at] ?? Infinity))).toBe(true);
  });

  it('a cancelled sync keeps its work, and the next sync completes it', async () => {
    using world = createIndexedTree();
    expect(world.sync.cancel()).toBe(false);
    plantMany(world, 400);
    const sync = world.syncDirectory();
    while (world.store.counts().fileCount === 0) await setImmediate();
    const waiting = world.syncDirectory();
    expect(world.sync.cancel()).toBe(true);
    const outcome = await sync;
    expect(outcome.cancelled).toBe(true);
    expect(outcome.added).toBeGreaterThan(0);
    expect(outcome.added).toBe(world.store.counts().fileCount);
    expect(outcome.added).toBeLessThan(400);
    expect(await waiting).toMatchObject({ cancelled: true, added: 0 });
    expect(world.store.lastSyncAt()).toBeNull();
    expect(orphans(world.database)).toBe(0);
    expect(await world.syncDirectory()).toMatchObject({
      cancelled: false,
      synced: 400,
      added: 400 - outcome.added,
    });
  });

  it('a sync changes nothing after a cancel', async () => {
    for (let turns = 0; turns < 8; turns++) {
      using world = createIndexedTree();
      plantMany(world, 60);
      const syncs = [world.syncDirectory(), world.syncDirectory()];
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      world.sync.cancel();
      world.database.close();
      const outcomes = await Promise.all(syncs);
      expect(outcomes.every(({ cancelled, synced }) => cancelled || synced === 60)).toBe(true);
    }
  });

  it('rejects a missing folder and runs the next sync', async () => {
    using world = createIndexedTree();
    world.write('gone/a');
    world.write('stays/b');
    await world.syncDirectory();
    rmSync(world.at('gone'), { recursive: true });
    const sync = world.syncDirectory({ basePath: world.at('gone') });
    const next = world.syncDirectory({ basePath: world.at('stays') });
    await expect(sync).rejects.toMatchObject({ code: 'validation' });
    expect(await next).toMatchObject({ synced: 1 });
    expect(world.paths()).toEqual(['gone/a', 'stays/b']);
  });
});

describe('FileSync of single paths', () => {
  it('applies the same rules to single files and folders', async () => {
    using world = createIndexedTree();
    world.write('.gitignore', '*.log\n');
    for (const path of ['a.md', 'b/c.md', 'b/d.md']) world.write(path);
    await world.syncDirectory();
    world.write('a.md', 'zebra\n');
    rmSync(world.at('b/c.md'));
    world.write('new/e.md');
    world.write('new/f.log');
    world.write('new/.env');
    const { outcome, remaining } = world.syncPaths(['a.md', 'b/c.md', 'new', 'new/f.log', 'never/was']);
    expect(outcome).toMatchObject({ synced: 2, added: 1, updated: 1, removed: 1, cancelled: false });
    expect(remaining).toEqual([]);
    expect(world.paths()).toEqual(['.gitignore', 'a.md', 'b/d.md', 'new/e.md']);
    rmSync(world.at('b'), { recursive: true });
    expect(world.syncPaths(['b/d.md']).outcome).toMatchObject({ removed: 1 });
  });

  it('removes single paths outside of all roots', async () => {
    using world = createIndexedTree();
    world.write('in/a');
    world.write('out/b');
    await world.syncDirectory();
    const roots = [world.at('in')];
    expect(world.syncPaths(['in/a', 'out/b', '/etc/hosts'], { roots }).outcome).toMatchObject({
      synced: 1,
      removed: 1,
    });
    expect(world.paths()).toEqual(['in/a']);
  });

  it('syncs a whole folder again when its rules change', async () => {
    using world = createIndexedTree();
    for (const path of ['a/b.log', 'a/c/d.log', 'e.log']) world.write(path);
    await world.syncDirectory();
    world.write('a/.gitignore', '*.log\n');
    expect(world.syncPaths(['a/.gitignore']).outcome).toMatchObject({ added: 1, removed: 2 });
    rmSync(world.at('a/.gitignore'));
    expect(world.syncPaths(['a/.gitignore']).outcome).toMatchObject({ added: 2, removed: 1 });
  });

  it('keeps the files below a missing root', async () => {
    using world = createIndexedTree();
    world.write('disk/a');
    const roots = [world.at('disk')];
    await world.syncDirectory({ basePath: world.at('disk'), roots });
    rmSync(world.at('disk'), { recursive: true });
    expect(world.syncPaths(['disk/a', 'disk'], { roots }).outcome).toMatchObject({ removed: 0 });
    expect(world.paths()).toEqual(['disk/a']);
  });

  it('returns the paths left at the deadline and completes in several calls', async () => {
    using world = createIndexedTree();
    expect(world.sync.syncPaths([world.base], world.request, -1)).toMatchObject({ remaining: [world.base] });
    plantMany(world, 200, 100);
    let remaining = [world.base];
    let calls = 0;
    for (; remaining.length > 0 && calls < 10_000; calls++)
      ({ remaining } = world.sync.syncPaths(remaining, world.request, performance.now() + 1));
    expect(calls).toBeGreaterThan(3);
    expect(world.store.counts().fileCount).toBe(200);
    rmSync(world.at('3'), { recursive: true });
    expect(world.syncPaths(['']).outcome).toMatchObject({ removed: 20, synced: 180 });
  });
});

describe('FileSync.changedFiles', () => {
  it('lists indexed files that changed or disappeared', async () => {
    using world = createIndexedTree();
    for (const path of ['a', 'b', 'c', 'd/e']) world.write(path);
    // A file written while it is read cannot be distinguished from a changed one.
    for (let changed = ['?']; changed.length > 0; { changed } = world.sync.changedFiles('all', Infinity))
      await world.syncDirectory();
    world.write('a', 'other');
    utimesSync(world.at('b'), 1, 1);
    rmSync(world.at('d'), { recursive: true });
    const changed = [world.at('a'), world.at('b'), world.at('d/e')];
    expect(world.sync.changedFiles('all', Infinity)).toEqual({ changed, isComplete: true });
    const syncedPaths = [join(world.root, 'never'), world.at('c'), world.at('b')];
    expect(world.sync.changedFiles(syncedPaths, Infinity)).toEqual({
      changed: [world.at('b')],
      isComplete: true,
    });
    expect(world.sync.changedFiles('all', -1)).toEqual({ changed: [], isComplete: false });
  });
});

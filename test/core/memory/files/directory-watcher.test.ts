import { EventEmitter } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openChokidar } from '../../../../src/core/memory/files/watched-root.ts';
import { waitFor, WatchedTree } from './watched-tree.ts';

/** Syncs what the watcher reported until the condition holds. */
const until = (its: WatchedTree, isSo: () => boolean): Promise<void> =>
  waitFor(() => {
    its.timers.run();
    return isSo();
  });

/** The names of all indexed files that hold a word. */
const names = (its: WatchedTree, word: string): string =>
  its.index
    .search(word)
    .paths.map((path) => path.slice(its.root.length + 1))
    .join(' ');

/** A watcher that says what a test wants. */
class ToldWatcher extends EventEmitter {
  isClosed = false;
  add() {
    setImmediate(() => this.emit('ready'));
  }
  async close() {
    this.isClosed = true;
  }
}

describe('watching folders', () => {
  it('syncs files that are added, changed, moved and removed', async () => {
    await using its = new WatchedTree();
    its.write('a.md', 'one');
    its.write('deep/b.md', 'one');
    await its.sync();
    await its.start();
    expect(its.watch.status()).toEqual({ watching: true, dirty: false, syncing: false, watchedFiles: 2 });

    its.write('a.md', 'two');
    await until(its, () => names(its, 'two') === 'a.md');
    its.write('deep/er/c.md', 'two');
    await until(its, () => names(its, 'two') === 'a.md deep/er/c.md');
    renameSync(its.path('deep'), its.path('moved'));
    await until(its, () => names(its, 'two') === 'a.md moved/er/c.md' && names(its, 'one') === 'moved/b.md');
    rmSync(its.path('moved'), { recursive: true });
    await until(its, () => its.index.fileCount === 1);
    expect(its.watch.status().watchedFiles).toBe(1);
    expect(its.errors).toEqual([]);
  });

  it('watches a folder whose name contains a line break', async () => {
    await using its = new WatchedTree('a\nb  c*?');
    its.write('a.md', 'one');
    await its.sync();
    await its.start();
    its.write('x\ny/new\n.md', 'two');
    await until(its, () => names(its, 'two') === 'x\ny/new\n.md');
  });

  it('finds changes from before the watch started without restoring removed files', async () => {
    await using its = new WatchedTree();
    for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) its.write(name, 'one');
    await its.sync();
    its.remove('d.md');
    its.write('a.md', 'two');
    rmSync(its.path('b.md'));
    its.write('new.md', 'two');
    await its.start();
    await until(its, () => its.dirty.isEmpty);
    expect([names(its, 'one'), names(its, 'two')]).toEqual(['c.md', 'a.md new.md']);
    expect(its.index.fileCount).toBe(3);
  });

  it('sees changes made during the first sync', async () => {
    await using its = new WatchedTree();
    for (let n = 0; n < 300; n++) its.write(`${n % 10}/${n}.md`, 'one');
    const starting = its.start();
    const syncing = its.sync();
    await waitFor(() => its.index.sync.progress?.phase === 'reading');
    its.write('5/late.md', 'two');
    its.write('late/a.md', 'two');
    await Promise.all([starting, syncing]);
    await until(its, () => names(its, 'two') === '5/late.md late/a.md');
    expect(its.watch.status()).toMatchObject({ watching: true, watchedFiles: 302 });
  });

  it('waits for a watch that another call started', async () => {
    await using its = new WatchedTree();
    await its.sync();
    const request = { ...its.rules, watchFiles: 100 };
    const first = its.watch.watch(request);
    await waitFor(() => its.opened.length === 1);
    await its.watch.watch(request);
    expect(its.watch.isCurrent).toBe(true);
    await first;
    expect(its.opened).toHaveLength(1);
  });

  it('never follows a symlink', async () => {
    await using its = new WatchedTree();
    await using other = new WatchedTree();
    other.write('b.md', 'one');
    its.write('a.md', 'one');
    symlinkSync(other.root, its.path('before'));
    symlinkSync(its.root, its.path('loop'));
    await its.sync();
    await its.start();
    symlinkSync(other.root, its.path('after'));
    await until(its, () => its.index.syncedPaths.includes(its.path('after')));
    other.write('b.md', 'two');
    other.write('c.md', 'two');
    its.write('a.md', 'two');
    await until(its, () => names(its, 'two') === 'a.md');
    expect(its.index.syncedPaths.filter((path) => path.includes('b.md') || path.includes('c.md'))).toEqual(
      [],
    );
  });

  it('gets no events for folders that are never indexed', async () => {
    await using its = new WatchedTree();
    its.write('a.md', 'one');
    its.write('node_modules/b.md', 'one');
    its.write('data/memory.db', 'one');
    await its.sync();
    await its.start();
    expect(its.watch.status().watchedFiles).toBe(1);
    its.write('node_modules/c.md', 'two');
    its.write('data/memory.db', 'two');
    its.write('.git/HEAD', 'two');
    its.write('a.md', 'two');
    await until(its, () => names(its, 'two') === 'a.md' && its.dirty.isEmpty);
    expect([...new Set(its.index.syncedPaths)]).toEqual([its.path('a.md')]);
  });

  it('marks a whole folder as dirty when its .gitignore changes', async () => {
    await using its = new WatchedTree();
    its.write('deep/a.md', 'one');
    its.write('deep/b.md', 'one');
    await its.sync();
    await its.start();
    its.write('deep/.gitignore', 'b.md');
    await until(its, () => names(its, 'one') === 'deep/a.md');
    rmSync(its.path('deep/.gitignore'));
    await until(its, () => names(its, 'one') === 'deep/a.md deep/b.md');
  });

  it('syncs a file that changes a thousand times only a few times', async () => {
    await using its = new WatchedTree();
    its.write('a.md', 'one');
    await its.sync();
    await its.start();
    for (let n = 0; n < 1000; n++) its.write('a.md', `two ${n}`);
    await until(its, () => names(its, 'two 999') === 'a.md' && its.dirty.isEmpty);
    expect(its.index.syncedPaths.length).toBeLessThan(10);
  });

  it('loses none of thousands of simultaneous changes', async () => {
    await using its = new WatchedTree();
    for (let n = 0; n < 500; n++) its.write(`${n % 10}/${n}.md`, 'one');
    await its.sync();
    await its.start();
    for (let n = 0; n < 2000; n++) its.write(`${n % 20}/${n}.md`, 'two');
    for (let n = 0; n < 100; n++) rmSync(its.path(`${n % 10}/${n}.md`));
    await until(its, () => its.dirty.isEmpty && its.index.search('two').paths.length === 1950);
    expect(its.index.search('one').paths).toHaveLength(200);
    expect(its.index.fileCount).toBe(2150);
    expect(its.errors).toEqual([]);
  });

  it('restarts when the system may have dropped events', async () => {
    await using its = new WatchedTree();
    const watcher = new ToldWatcher();
    its.open = async () => watcher;
    its.write('a.md', 'one');
    await its.sync();
    await its.start();
    its.write('untold.md', 'two');
    for (let n = 0; n < 8000; n++) watcher.emit('raw', 'change', 'a.md', { watchedPath: its.root });
    expect(its.watch.isCurrent).toBe(false);
    await waitFor(() => its.watch.isCurrent);
    expect(its.opened).toHaveLength(2);
    expect(watcher.isClosed).toBe(true);
    expect(its.dirty.covers(its.path('untold.md'))).toBe(true);
  });

  it('does not read a folder when a file in it changes', async () => {
    await using its = new WatchedTree();
    for (let n = 0; n < 50; n++) its.write(`${n}.md`, 'one');
    await its.sync();
    const looked: string[] = [];
    its.open = (isLeftOut) =>
      openChokidar((path, stats) => {
        if (stats) looked.push(path);
        return isLeftOut(path, stats);
      });
    await its.start();
    looked.length = 0;
    its.write('new.md', 'two');
    its.write('0.md', 'two');
    rmSync(its.path('1.md'));
    // As editors save.
    renameSync(its.write('2.md.tmp', 'two'), its.path('2.md'));
    its.write('deep/a.md', 'two');
    await until(its, () => names(its, 'two') === '0.md 2.md deep/a.md new.md' && its.index.fileCount === 51);
    await waitFor(() => looked.includes(its.path('deep/a.md')));
    expect(new Set(looked)).toEqual(new Set([its.path('deep'), its.path('deep/a.md')]));
  });

  it('stops with a reason when there are more files than it may watch', async () => {
    await using its = new WatchedTree();
    for (let n = 0; n < 10; n++) its.write(`${n}.md`, 'one');
    await its.sync();
    await its.start(9);
    const reason = 'There are more than 9 files. Raise the setting memory.watchFiles';
    expect(its.watch.status()).toMatchObject({ watching: false, reason, watchedFiles: 0 });
    expect(its.opened).toHaveLength(0);
    await its.start(10);
    expect(its.watch.status()).toMatchObject({ watching: true, watchedFiles: 10 });
    its.write('one-more.md', 'two');
    await until(its, () => !its.watch.status().watching);
    expect(its.watch.status()).toMatchObject({
      reason: expect.stringContaining('more than 10 files'),
      watchedFiles: 0,
    });
    expect(its.index.search('two').paths).toEqual([its.path('one-more.md')]);
  });

  it.each([
    ['ENOSPC', 'The system allows no more watches. Raise fs.inotify.max_user_watches'],
    ['EMFILE', 'The system allows no more watches (EMFILE)'],
    ['EIO', 'Watching failed: EIO: told'],
  ])('stops with a reason at %s', async (code, reason) => {
    await using its = new WatchedTree();
    const watcher = new ToldWatcher();
    its.open = async () => watcher;
    await its.sync();
    await its.start();
    expect(its.watch.status().watching).toBe(true);
    watcher.emit('error', Object.assign(new Error(`${code}: told`), { code }));
    expect(its.watch.status()).toEqual({
      watching: false,
      reason,
      dirty: false,
      syncing: false,
      watchedFiles: 0,
    });
    await waitFor(() => watcher.isClosed);
    its.open = async () => new ToldWatcher();
    await its.start();
    expect(its.watch.status().watching).toBe(true);
  });

  it('reports a reason when watching cannot start', async () => {
    await using its = new WatchedTree();
    its.open = () => Promise.reject(new Error('no watcher here'));
    await its.start();
    expect(its.watch.status()).toMatchObject({ watching: false, reason: 'Watching failed: no watcher here' });
    expect(its.errors).toHaveLength(1);
  });

  it('keeps the files of a root that vanishes and resumes when it is back', async () => {
    await using its = new WatchedTree();
    for (const name of ['a.md', 'b.md', 'c.md']) its.write(name, 'one');
    await its.sync();
    await its.start();
    const away = join(its.base, 'away');
    renameSync(its.root, away);
    await waitFor(() => its.dirty.covers(its.path('a.md')));
    await until(its, () => its.dirty.isEmpty);
    expect(its.index.fileCount).toBe(3);
    writeFileSync(join(away, 'a.md'), 'two');
    rmSync(join(away, 'b.md'));
    renameSync(away, its.root);
    await until(its, () => names(its, 'one') === 'c.md' && names(its, 'two') === 'a.md');
    its.write('new.md', 'two');
    await until(its, () => names(its, 'two') === 'a.md new.md');
  });

  it('watches a root that does not exist yet', async () => {
    await using its = new WatchedTree();
    rmSync(its.root, { recursive: true });
    await its.start();
    expect(its.watch.status().watching).toBe(true);
    mkdirSync(its.root);
    its.write('a.md', 'one');
    await until(its, () => names(its, 'one') === 'a.md');
  });

  it('opens only new folders and closes only removed ones when the roots change', async () => {
    await using its = new WatchedTree();
    const [one, two] = [its.path('one'), its.path('two')];
    its.write('one/a.md', 'one');
    its.write('two/b.md', 'one');
    const watch = (...roots: string[]) => its.watch.watch({ ...its.rules, roots, watchFiles: 100 });
    await watch(one);
    await watch(one, join(one, 'inner'), two);
    expect(its.opened).toHaveLength(2);
    await waitFor(() => its.watch.isCurrent);
    await watch(two);
    expect(its.opened).toHaveLength(2);
    its.write('one/a.md', 'two');
    await waitFor(() => its.dirty.covers(its.write('two/b.md', 'two')));
    expect(its.dirty.covers(its.path('one/a.md'))).toBe(false);
    await watch();
    expect(its.watch.status()).toMatchObject({ watching: false, reason: 'No folder is indexed yet' });
  });

  it('leaves nothing open when it stops, even during the start', async () => {
    await using its = new WatchedTree();
    for (let n = 0; n < 300; n++) its.write(`${n}/a.md`, 'one');
    await its.sync();
    // Only handles that keep the process alive are reported.
    its.open = async (isLeftOut) => {
      const { FSWatcher } = await import('chokidar');
      return new FSWatcher({ persistent: true, followSymlinks: false, ignored: isLeftOut });
    };
    const openWatches = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
    await its.start();
    expect(openWatches()).toBe(301);
    await its.watch.watch(undefined);
    await waitFor(() => openWatches() === 0);
    expect(its.watch.status()).toEqual({ watching: false, dirty: false, syncing: false, watchedFiles: 0 });
    const starting = its.start();
    await waitFor(() => openWatches() > 0);
    await its.watch.watch(undefined);
    await starting;
    await waitFor(() => openWatches() === 0);
    expect(its.watch.status().watching).toBe(false);
  });
});

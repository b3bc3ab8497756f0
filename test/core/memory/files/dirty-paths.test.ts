import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DirtyPaths } from '../../../../src/core/memory/files/dirty-paths.ts';
import { waitFor, WatchedTree } from './watched-tree.ts';

/** Without a watch, and with a clock that a test moves. */
function world() {
  const its = new WatchedTree();
  const clock = { ms: 1000 };
  its.index.hasNoDeadline = true;
  const errors: unknown[] = [];
  const dirty = new DirtyPaths({
    sync: its.index.sync,
    onError: (error) => errors.push(error),
    setTimer: its.timers.set,
    monotonic: () => clock.ms,
  });
  return { its, dirty, clock, errors, [Symbol.asyncDispose]: () => its[Symbol.asyncDispose]() };
}

describe('paths that may have changed', () => {
  it('syncs dirty paths after 300 ms of quiet and at most 2 s after the first', async () => {
    await using given = world();
    const { its, dirty, clock } = given;
    dirty.follow(its.rules);
    dirty.mark(its.write('a.md', 'one'));
    expect(its.timers.waits).toEqual([300]);
    clock.ms += 200;
    dirty.mark(its.write('b.md', 'two'));
    expect(its.timers.waits).toEqual([300]);
    clock.ms += 1650;
    dirty.mark(its.path('a.md'));
    expect(its.timers.waits).toEqual([150]);
    its.timers.run();
    await waitFor(() => dirty.isEmpty && !dirty.isSyncing);
    expect(its.index.syncedPaths).toEqual([its.path('a.md'), its.path('b.md')]);
    dirty.mark(its.path('a.md'));
    expect(its.timers.waits).toEqual([300]);
  });

  it('keeps dirty paths for the next search when nothing is watched', async () => {
    await using given = world();
    const { its, dirty } = given;
    dirty.mark(its.write('a.md', 'one'));
    expect(its.timers.waits).toEqual([]);
    expect(await dirty.sync(its.rules, Infinity)).toBe(true);
    dirty.mark(its.path('a.md'));
    expect(await dirty.sync(its.rules, Infinity)).toBe(false);
  });

  it('syncs dirty paths in slices', async () => {
    await using given = world();
    const { its, dirty } = given;
    for (let n = 0; n < 1000; n++) dirty.mark(its.path(`${n}.md`));
    const turns: number[] = [];
    const count = () => {
      turns.push(its.index.syncedPaths.length);
      if (!dirty.isEmpty) setImmediate(count);
    };
    setImmediate(count);
    await dirty.sync(its.rules, Infinity);
    expect(turns.slice(0, 5)).toEqual([200, 400, 600, 800, 1000]);
  });

  it('keeps the paths that are left at the deadline', async () => {
    await using given = world();
    const { its, dirty, clock } = given;
    dirty.mark(its.write('a.md', 'one'));
    await dirty.sync(its.rules, clock.ms);
    expect(its.index.syncedPaths).toEqual([]);
    expect(dirty.covers(its.path('a.md'))).toBe(true);
    dirty.mark(its.path('folder'));
    expect(dirty.covers(its.path('folder/b.md'))).toBe(true);
    expect(dirty.covers(its.path('folder2/b.md'))).toBe(false);
  });

  it('keeps the paths of a failed sync and retries later', async () => {
    await using given = world();
    const { its, dirty, errors } = given;
    its.index.failure = new Error('The disk is full');
    dirty.follow(its.rules);
    dirty.mark(its.write('a.md', 'one'));
    its.timers.run();
    await waitFor(() => errors.length > 0);
    expect(errors).toEqual([its.index.failure]);
    expect(its.timers.waits).toEqual([30_000]);
    await expect(dirty.sync(its.rules, Infinity)).rejects.toThrow('The disk is full');
    its.index.failure = undefined;
    its.timers.run();
    await waitFor(() => dirty.isEmpty && !dirty.isSyncing);
    expect(its.index.search('one').paths).toEqual([its.path('a.md')]);
  });

  it('waits for a running folder sync that may cover the paths', async () => {
    await using given = world();
    const { its, dirty } = given;
    dirty.follow(its.rules);
    dirty.mark(its.write('a.md', 'one'));
    const syncing = its.index.sync.syncDirectory({ basePath: its.root, ...its.rules });
    its.timers.run();
    expect(dirty.isSyncing).toBe(false);
    expect(its.timers.waits).toEqual([300]);
    expect(await syncing).toMatchObject({ added: 1 });
    its.timers.run();
    await waitFor(() => dirty.isEmpty && !dirty.isSyncing);
    expect(its.index.syncedPaths).toEqual([its.path('a.md')]);
  });

  it('leaves the index alone for dirty paths of a missing root', async () => {
    await using given = world();
    const { its, dirty } = given;
    its.write('a.md', 'one');
    await its.sync();
    renameSync(its.root, `${its.root}-away`);
    dirty.mark(its.path('a.md'));
    await dirty.sync(its.rules, Infinity);
    expect(its.index.search('one').paths).toEqual([its.path('a.md')]);
    expect(dirty.isEmpty).toBe(true);
  });

  it('checks a new folder again until the watcher reliably reports its changes', async () => {
    await using given = world();
    const { its, dirty, clock } = given;
    its.write('new/a.md', 'one');
    dirty.markNewDirectory(its.path('new'));
    await dirty.sync(its.rules, Infinity);
    its.write('new/b.md', 'one');
    await dirty.sync(its.rules, Infinity);
    expect(its.index.search('one').paths).toEqual([its.path('new/a.md'), its.path('new/b.md')]);
    clock.ms += 2000;
    its.write('new/c.md', 'one');
    await dirty.sync(its.rules, Infinity);
    expect(its.index.search('one').paths).toHaveLength(2);
  });
});

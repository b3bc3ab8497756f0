import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DirtyPaths } from '../../../../src/core/memory/files/dirty-paths.ts';
import { waitFor, WatchedWorld } from './watched-tree.ts';

/** Without a watch, and with a clock that a test moves. */
function world() {
  const its = new WatchedWorld();
  const clock = { ms: 1000 };
  its.index.isUnhurried = true;
  const faults: unknown[] = [];
  const dirty = new DirtyPaths({
    sync: its.index.sync,
    onError: (error) => faults.push(error),
    setTimer: its.timers.set,
    monotonic: () => clock.ms,
  });
  return { its, dirty, clock, faults, [Symbol.asyncDispose]: () => its[Symbol.asyncDispose]() };
}

describe('paths that may have changed', () => {
  it('are synced once it was quiet for 300 ms, and at most 2 s after the first', async () => {
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
    expect(its.index.asked).toEqual([its.path('a.md'), its.path('b.md')]);
    dirty.mark(its.path('a.md'));
    expect(its.timers.waits).toEqual([300]);
  });

  it('wait for somebody who searches where nothing is watched', async () => {
    await using given = world();
    const { its, dirty } = given;
    dirty.mark(its.write('a.md', 'one'));
    expect(its.timers.waits).toEqual([]);
    expect(await dirty.sync(its.rules, Infinity)).toBe(true);
    dirty.mark(its.path('a.md'));
    expect(await dirty.sync(its.rules, Infinity)).toBe(false);
  });

  it('are synced in pieces that let others through', async () => {
    await using given = world();
    const { its, dirty } = given;
    for (let n = 0; n < 1000; n++) dirty.mark(its.path(`${n}.md`));
    const turns: number[] = [];
    const count = () => {
      turns.push(its.index.asked.length);
      if (!dirty.isEmpty) setImmediate(count);
    };
    setImmediate(count);
    await dirty.sync(its.rules, Infinity);
    expect(turns.slice(0, 5)).toEqual([200, 400, 600, 800, 1000]);
  });

  it('stay what they are when the time is over', async () => {
    await using given = world();
    const { its, dirty, clock } = given;
    dirty.mark(its.write('a.md', 'one'));
    await dirty.sync(its.rules, clock.ms);
    expect(its.index.asked).toEqual([]);
    expect(dirty.covers(its.path('a.md'))).toBe(true);
    dirty.mark(its.path('folder'));
    expect(dirty.covers(its.path('folder/b.md'))).toBe(true);
    expect(dirty.covers(its.path('folder2/b.md'))).toBe(false);
  });

  it('are kept and tried again later when a sync fails', async () => {
    await using given = world();
    const { its, dirty, faults } = given;
    its.index.failure = new Error('The disk is full');
    dirty.follow(its.rules);
    dirty.mark(its.write('a.md', 'one'));
    its.timers.run();
    await waitFor(() => faults.length > 0);
    expect(faults).toEqual([its.index.failure]);
    expect(its.timers.waits).toEqual([30_000]);
    await expect(dirty.sync(its.rules, Infinity)).rejects.toThrow('The disk is full');
    its.index.failure = undefined;
    its.timers.run();
    await waitFor(() => dirty.isEmpty && !dirty.isSyncing);
    expect(its.index.search('one').paths).toEqual([its.path('a.md')]);
  });

  it('wait for a sync of a folder, which may come past them, too', async () => {
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
    expect(its.index.asked).toEqual([its.path('a.md')]);
  });

  it('of a root that is not there leave the index as it is', async () => {
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

  it('of a new folder are looked for again until the watcher has surely taken it up', async () => {
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

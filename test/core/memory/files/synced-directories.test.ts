import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SyncedDirectories } from '../../../../src/core/memory/files/synced-directories.ts';

function open() {
  const database = new DatabaseSync(':memory:');
  database.exec('create table synced_folders (path text primary key, at real not null)');
  return { synced: new SyncedDirectories(database), again: () => new SyncedDirectories(database) };
}

describe('folders that were synced', () => {
  it('are known with all that is below them, also after a restart', () => {
    const { synced, again } = open();
    expect(synced.lastSyncedAt('/a')).toBeUndefined();
    synced.recordCompleted('/a', 10.5);
    synced.recordCompleted('/a/b', 20);
    for (const known of [synced, again()])
      expect(
        ['/a', '/a/x', '/a/b', '/a/b/c', '/ab', '/'].map((directory) => known.lastSyncedAt(directory)),
      ).toEqual([10.5, 10.5, 20, 20, undefined, undefined]);
  });

  it('are forgotten where they are indexed no more, but for the parts that still are', () => {
    const { synced, again } = open();
    synced.recordCompleted('/a', 10);
    synced.recordCompleted('/c', 10);
    synced.keepOnly(['/a/b', '/d']);
    for (const known of [synced, again()])
      expect(['/a', '/a/b', '/c', '/d'].map((directory) => known.lastSyncedAt(directory))).toEqual([
        undefined,
        10,
        undefined,
        undefined,
      ]);
  });

  it('say the time of the last sync that came past a folder', () => {
    const directory = fc.constantFrom('/a', '/a/b', '/a/b/c', '/a/d', '/e');
    fc.assert(
      fc.property(fc.array(directory, { maxLength: 12 }), directory, (syncs, asked) => {
        const { synced, again } = open();
        for (const [at, base] of syncs.entries()) synced.recordCompleted(base, at);
        const last = syncs.findLastIndex((base) => asked === base || asked.startsWith(`${base}/`));
        expect(synced.lastSyncedAt(asked)).toBe(last < 0 ? undefined : last);
        expect(again().lastSyncedAt(asked)).toBe(synced.lastSyncedAt(asked));
      }),
    );
  });
});

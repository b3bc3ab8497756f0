import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SyncedDirectories } from '../../../../src/core/memory/files/synced-directories.ts';

function open() {
  const database = new DatabaseSync(':memory:');
  database.exec('create table synced_folders (path text primary key, at real not null)');
  return { synced: new SyncedDirectories(database), again: () => new SyncedDirectories(database) };
}

describe('synced folders', () => {
  it('knows synced folders and everything below them after a restart', () => {
    const { synced, again } = open();
    expect(synced.lastSyncedAt('/a')).toBeUndefined();
    synced.recordCompleted('/a', 10.5);
    synced.recordCompleted('/a/b', 20);
    for (const known of [synced, again()])
      expect(
        ['/a', '/a/x', '/a/b', '/a/b/c', '/ab', '/'].map((directory) => known.lastSyncedAt(directory)),
      ).toEqual([10.5, 10.5, 20, 20, undefined, undefined]);
  });

  it('forgets folders that are no longer indexed but keeps indexed parts', () => {
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

  it('returns the time of the last sync that covered a folder', () => {
    const directory = fc.constantFrom('/a', '/a/b', '/a/b/c', '/a/d', '/e');
    fc.assert(
      fc.property(fc.array(directory, { maxLength: 12 }), directory, (syncs, syncedPaths) => {
        const { synced, again } = open();
        for (const [at, base] of syncs.entries()) synced.recordCompleted(base, at);
        const last = syncs.findLastIndex(
          (base) => syncedPaths === base || syncedPaths.startsWith(`${base}/`),
        );
        expect(synced.lastSyncedAt(syncedPaths)).toBe(last < 0 ? undefined : last);
        expect(again().lastSyncedAt(syncedPaths)).toBe(synced.lastSyncedAt(syncedPaths));
      }),
    );
  });
});

import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SyncedFolders } from '../../../../src/core/memory/files/synced-directories.ts';

function open() {
  const database = new DatabaseSync(':memory:');
  database.exec('create table synced_folders (path text primary key, at real not null)');
  return { synced: new SyncedFolders(database), again: () => new SyncedFolders(database) };
}

describe('folders that were synced', () => {
  it('are known with all that is below them, also after a restart', () => {
    const { synced, again } = open();
    expect(synced.lastSyncedAt('/a')).toBeUndefined();
    synced.recordCompleted('/a', 10.5);
    synced.recordCompleted('/a/b', 20);
    for (const known of [synced, again()])
      expect(['/a', '/a/x', '/a/b', '/a/b/c', '/ab', '/'].map((folder) => known.lastSyncedAt(folder))).toEqual([
        10.5,
        10.5,
        20,
        20,
        undefined,
        undefined,
      ]);
  });

  it('are forgotten where they are indexed no more, but for the parts that still are', () => {
    const { synced, again } = open();
    synced.recordCompleted('/a', 10);
    synced.recordCompleted('/c', 10);
    synced.keepOnly(['/a/b', '/d']);
    for (const known of [synced, again()])
      expect(['/a', '/a/b', '/c', '/d'].map((folder) => known.lastSyncedAt(folder))).toEqual([
        undefined,
        10,
        undefined,
        undefined,
      ]);
  });

  it('say the time of the last sync that came past a folder', () => {
    const folder = fc.constantFrom('/a', '/a/b', '/a/b/c', '/a/d', '/e');
    fc.assert(
      fc.property(fc.array(folder, { maxLength: 12 }), folder, (syncs, asked) => {
        const { synced, again } = open();
        for (const [at, base] of syncs.entries()) synced.recordCompleted(base, at);
        const last = syncs.findLastIndex((base) => asked === base || asked.startsWith(`${base}/`));
        expect(synced.lastSyncedAt(asked)).toBe(last < 0 ? undefined : last);
        expect(again().lastSyncedAt(asked)).toBe(synced.lastSyncedAt(asked));
      }),
    );
  });
});

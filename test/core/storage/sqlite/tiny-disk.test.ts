import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../../../src/core/storage/sqlite/migrate.ts';
import type { Schema } from '../../../../src/core/storage/schema.ts';
import { nodeSqliteDialect } from '../../../../src/core/storage/sqlite/sqlite-dialect.ts';
import { startDaemon } from '../../../helpers/daemon.ts';
import { follow, testAdapter, until } from '../../../helpers/tasks.ts';

/** A file system of a few MB of its own; undefined where this user may not mount one. */
function mountTinyDisk(): { folder: string; unmount(): void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder]);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (mounted.status === 0)
    return {
      folder,
      unmount: () => {
        spawnSync('umount', ['-l', folder]);
        remove();
      },
    };
  remove();
  return undefined;
}

describe('a disk that is truly full', () => {
  it('on a full disk writes get 507, reads succeed, and writes recover when there is space', async (test) => {
    const disk = mountTinyDisk();
    if (!disk) return test.skip('only root may mount a file system');
    const ballast = join(disk.folder, 'ballast');
    const home = join(disk.folder, 'home');
    mkdirSync(home);
    try {
      await using daemon = await startDaemon({
        home,
        extraAdapters: [testAdapter(async () => ({ output: 'done' }))],
      });
      const post = () =>
        daemon.client.tasks.create({
          body: { title: 'A task', description: 'x'.repeat(20_000), assignedAgent: 'test' },
        });
      const { task: first } = await post();
      await follow(daemon.client, first.id);
      fillUp(ballast);
      await until(() => expect(post()).rejects.toMatchObject({ status: 507 }));
      expect((await daemon.client.tasks.get({ params: { id: first.id } })).task.status).toBe('completed');
      expect((await fetch(`${daemon.url}/api/health`)).status).toBe(200);
      rmSync(ballast);
      const { task: next } = await post();
      expect((await follow(daemon.client, next.id)).task.status).toBe('completed');
    } finally {
      disk.unmount();
    }
  });

  it('is named as the reason why an upgrade failed', async (test) => {
    const disk = mountTinyDisk();
    if (!disk) return test.skip('only root may mount a file system');
    const { native, db, file } = openIn(disk.folder);
    try {
      const large = async (each: Kysely<never>) => {
        await sql`create table large (value)`.execute(each);
        await sql`insert into large values (zeroblob(8000000))`.execute(each);
      };
      await expect(migrate(native, db, file, { migrations: { '0001-large': large } })).rejects.toThrow(
        /disk is full/,
      );
      expect(native.prepare('select name from schema_migrations').all()).toEqual([]);
    } finally {
      native.close();
      disk.unmount();
    }
  });

  it('keeps nothing of a copy for which there was no space', async (test) => {
    const disk = mountTinyDisk();
    if (!disk) return test.skip('only root may mount a file system');
    const { native, db, file } = openIn(disk.folder);
    try {
      const nothing = async () => undefined;
      await migrate(native, db, file, { migrations: { '0001-first': nothing } });
      native.exec('pragma journal_mode = delete');
      native.exec('create table large (value); insert into large values (zeroblob(3500000))');
      const next = migrate(native, db, file, {
        migrations: { '0001-first': nothing, '0002-second': nothing },
      });
      await expect(next).rejects.toThrow(/disk is full/);
      expect(readdirSync(disk.folder)).toEqual(['svc.db']);
    } finally {
      native.close();
      disk.unmount();
    }
  });
});

function openIn(folder: string) {
  const file = join(folder, 'svc.db');
  const native = new DatabaseSync(file);
  native.exec('pragma journal_mode = wal');
  const db = new Kysely<Schema>({ dialect: nodeSqliteDialect({ database: native, writes: 0 }) });
  return { native, db, file };
}

/** Takes all the space there is. */
function fillUp(file: string): void {
  const part = Buffer.alloc(4096);
  try {
    for (;;) writeFileSync(file, part, { flag: 'a' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

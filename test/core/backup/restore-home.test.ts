import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Locations } from '../../../src/contract/locations.ts';
import { restoreHome } from '../../../src/core/backup/restore-home.ts';
import { lockDataDirectory } from '../../../src/core/storage/data-lock.ts';
import { memoryFolder } from '../../helpers/memory-folder.ts';
import {
  databaseEntry,
  identityEntry,
  makeHome,
  manifestOf,
  marksOf,
  type SampleEntry,
  settingsText,
  tarOf,
  writeBackup,
} from './backup-samples.ts';

const root = memoryFolder();
let database: SampleEntry;
let locations: Locations;
let number = 0;
const settings: SampleEntry = { name: 'settings.json', content: Buffer.from(settingsText('new')) };
const archive: SampleEntry = { name: 'archive/audit-1-2.jsonl.gz', content: Buffer.from('new') };
const file = join(root, 'backup.tar.gz');
const now = new Date('2026-11-23T08:30:00Z');
const all = (part: string) => ({ database: part, settings: part, archive: part });

beforeAll(async () => {
  database = await databaseEntry(root, 'new');
});
beforeEach(async () => {
  locations = await makeHome(join(root, String(number++)), 'old');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const restore = (more: Partial<Parameters<typeof restoreHome>[0]> = {}) =>
  restoreHome({ file, locations, version: '0.1.0', now, ...more });

/** Every file of the home with its bytes, but for the lock. */
function everything(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const directory of [locations.data, locations.config])
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const path = join(directory, name);
      if (statSync(path).isFile() && !name.startsWith('daemon.lock'))
        found[path] = readFileSync(path, 'latin1');
    }
  return found;
}

function stateOf(path: string, key: string): unknown {
  const opened = new DatabaseSync(path, { readOnly: true });
  const row = opened.prepare('select value from state where key = ?').get(key);
  opened.close();
  return row?.['value'];
}

describe('a restore', () => {
  it('replaces the whole home and keeps what was there in a dated directory', async () => {
    writeBackup(file, [database, settings, archive]);
    const before = everything();
    const report = await restore();
    expect(report).toMatchObject({ identity: 'kept', manifest: { svcVersion: '0.1.0' } });
    expect(marksOf(locations)).toEqual(all('new'));
    expect(existsSync(join(locations.data, 'memory.db'))).toBe(false);
    expect(existsSync(locations.ownerSessionFile)).toBe(false);
    const stamp = 'before-restore-2026-11-23T08-30-00Z';
    expect(report.keptIn).toEqual([join(locations.data, stamp), join(locations.config, stamp)]);
    for (const [path, bytes] of Object.entries(before)) {
      if (path === locations.identityFile) continue;
      const kept = path.replace('/svc/', `/svc/${stamp}/`);
      expect(readFileSync(kept, 'latin1') === bytes, kept).toBe(true);
    }
    expect(readdirSync(locations.data).filter((name) => /^\.|restore\.json/.test(name))).toEqual([]);
    expect(statSync(locations.databaseFile).mode & 0o777).toBe(0o600);
  });

  it('can be made twice in one second', async () => {
    writeBackup(file, [database, settings, archive]);
    await restore();
    const { keptIn } = await restore();
    expect(keptIn[0]).toMatch(/Z-2$/);
    expect(marksOf(locations)).toEqual(all('new'));
  });

  it('fills an empty home', async () => {
    rmSync(locations.data, { recursive: true });
    rmSync(locations.config, { recursive: true });
    writeBackup(file, [database, settings, archive, identityEntry].slice(0, 3));
    expect(await restore()).toMatchObject({ identity: 'missing', keptIn: [] });
    expect(marksOf(locations)).toEqual(all('new'));
  });

  it('replaces a database that is damaged', async () => {
    writeFileSync(locations.databaseFile, 'no database any more');
    writeBackup(file, [database, settings, archive]);
    const { keptIn } = await restore();
    expect(marksOf(locations)).toEqual(all('new'));
    expect(readFileSync(join(keptIn[0] ?? '', 'svc.db'), 'utf8')).toBe('no database any more');
  });

  it('restores the identity that the backup holds', async () => {
    writeFileSync(locations.identityFile, `${'0'.repeat(64)}\n`);
    writeFileSync(file, gzipSync(tarOf([manifestOf([database]), database, identityEntry])));
    expect(await restore()).toMatchObject({ identity: 'restored' });
    expect(readFileSync(locations.identityFile)).toEqual(identityEntry.content);
  });

  it('takes the identity of another database out of the way', async () => {
    writeFileSync(locations.identityFile, `${'0'.repeat(64)}\n`);
    writeBackup(file, [database]);
    const { identity, keptIn } = await restore();
    expect(identity).toBe('missing');
    expect(existsSync(locations.identityFile)).toBe(false);
    expect(readFileSync(join(keptIn[0] ?? '', 'identity'), 'utf8')).toBe(`${'0'.repeat(64)}\n`);
  });

  it('keeps the mark of the home for its processes, never that of the backup', async () => {
    writeBackup(file, [database]);
    await restore();
    expect(stateOf(locations.databaseFile, 'installation')).toBe('installation of old');
    rmSync(locations.databaseFile);
    await restore();
    expect(stateOf(locations.databaseFile, 'installation')).toBeUndefined();
  });

  it('pauses the queue if asked', async () => {
    writeBackup(file, [database]);
    await restore({ isPaused: true });
    expect(stateOf(locations.databaseFile, 'queue_paused')).toBe('true');
  });
});

describe('a restore is refused and changes nothing', () => {
  const refused = async (message: RegExp, more = {}) => {
    const before = everything();
    await expect(restore(more)).rejects.toThrow(message);
    expect(everything()).toEqual(before);
  };

  it('while a daemon uses the home', async () => {
    writeBackup(file, [database]);
    const lock = await lockDataDirectory(join(locations.data, 'daemon.lock'));
    await refused(/Another daemon uses this data folder/);
    lock.release();
  });

  it('where there is no file', () => refused(/ENOENT/, { file: join(root, 'nothing') }));

  it('from a newer svc, by its version, its format or its migrations', async () => {
    writeBackup(file, [database], { svcVersion: '0.2.0' });
    await refused(/made by svc 0\.2\.0, which is newer than this svc 0\.1\.0\. Upgrade svc first/);
    writeFileSync(file, gzipSync(tarOf([{ name: 'manifest.json', content: Buffer.from('{"format":2}') }])));
    await refused(/newer svc, in a format that this one does not know/);
    const path = join(root, 'later.db');
    writeFileSync(path, database.content);
    const later = new DatabaseSync(path);
    later.exec("insert into schema_migrations values ('9999-later', '')");
    later.close();
    writeBackup(file, [{ name: 'svc.db', content: readFileSync(path) }]);
    await refused(/newer than this svc 0\.1\.0 \(its database has 9999-later\)/);
  });

  it('with settings that this svc does not have', async () => {
    writeBackup(file, [database, { name: 'settings.json', content: Buffer.from('{"no":{"such":1}}') }]);
    await refused(/cannot use the settings of the backup: .*There is no such setting/);
  });

  it('with a damaged database, also where its hash is right', async () => {
    const bytes = Buffer.from(database.content);
    bytes.fill(0xee, 8192, 40_000);
    writeBackup(file, [{ name: 'svc.db', content: bytes }]);
    await refused(/svc\.db is damaged/);
  });

  it('with an identity that is not the one of its database', async () => {
    const other = { name: 'identity', content: Buffer.from(`${'1'.repeat(64)}\n`) };
    writeFileSync(file, gzipSync(tarOf([manifestOf([database]), database, other])));
    await refused(/its identity is not the one of its database/);
  });

  it('wherever it is cut off, and wherever a byte of it is changed', async () => {
    const whole = readFileSync(writeBackup(file, [database, settings, archive]));
    for (const part of [0, 0.001, 0.3, 0.9, 0.999]) {
      writeFileSync(file, whole.subarray(0, Math.floor(whole.length * part)));
      await refused(/not a whole backup/);
    }
    for (const part of [0.001, 0.5, 0.99]) {
      const bytes = Buffer.from(whole);
      const at = Math.floor(whole.length * part);
      bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      writeFileSync(file, bytes);
      await refused(/not a whole backup/);
    }
  });

  const outside: SampleEntry = { name: '../../escaped', content: Buffer.from('x') };
  const unlisted: SampleEntry = { name: 'owner-session', content: Buffer.from('x') };
  it.each<[string, (entry: SampleEntry) => Buffer]>([
    ['a name that leads out of it', (db) => tarOf([manifestOf([db, outside]), db, outside])],
    ['an absolute name', (db) => tarOf([manifestOf([db]), { ...db, name: '/tmp/svc.db' }])],
    ['a file that no backup has', (db) => tarOf([manifestOf([db]), db, unlisted])],
    ['a file twice', (db) => tarOf([manifestOf([db, db]), db, db])],
    ['a file that is not listed', (db) => tarOf([manifestOf([db]), db, { ...db, name: 'memory.db' }])],
    ['a file less than it lists', (db) => tarOf([manifestOf([db, settings]), db])],
    [
      'another content than it lists',
      (db) => tarOf([manifestOf([db]), { ...db, content: Buffer.alloc(db.content.length) }]),
    ],
    [
      'a link instead of its database',
      (db) =>
        tarOf([manifestOf([db]), { ...db, content: Buffer.alloc(0), change: (h) => void h.write('2', 156) }]),
    ],
    ['no database', () => tarOf([manifestOf([settings]), settings])],
    ['no list of contents', (db) => tarOf([db])],
    [
      'a list of contents without end',
      () => tarOf([{ name: 'manifest.json', content: Buffer.alloc(2 ** 20 + 1, ' ') }]),
    ],
  ])('with %s', async (_, make) => {
    writeFileSync(file, gzipSync(make(database)));
    await refused(/not a whole backup/);
    expect(existsSync(join(root, 'escaped'))).toBe(false);
  });

  it('of a size that the disk has no room for', async () => {
    const files = [{ name: 'svc.db', bytes: 2 ** 50, sha256: '0'.repeat(64) }];
    writeFileSync(file, gzipSync(tarOf([manifestOf([], { files })])));
    await refused(/The backup needs 1073741824 MiB in /);
  });

  it('of what is no backup at all', async () => {
    writeFileSync(file, 'hello');
    await refused(/not a whole backup/);
    mkdirSync(join(root, 'folder'), { recursive: true });
    await refused(/EISDIR/, { file: join(root, 'folder') });
  });
});

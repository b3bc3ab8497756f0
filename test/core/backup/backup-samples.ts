import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { locate, type Locations } from '../../../src/contract/locations.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { formatManifest } from '../../../src/core/backup/backup-manifest.ts';
import { TAR_END, tarHeader, tarPadding } from '../../../src/core/backup/tar-writer.ts';
import { placeDatabase } from '../../helpers/place-database.ts';

export interface SampleEntry {
  name: string;
  content: Buffer;
  /** Changes the header before its checksum is made. */
  change?: (header: Buffer) => void;
}

const at = new Date('2026-01-02T03:04:05Z');

/** A header with a valid checksum, whatever was changed in it. */
export function headerOf({ name, content, change }: SampleEntry): Buffer {
  const header = tarHeader(name, content.length, at);
  if (!change) return header;
  change(header);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

export const tarOf = (entries: SampleEntry[], end: Buffer = TAR_END): Buffer =>
  Buffer.concat([
    ...entries.flatMap((entry) => [headerOf(entry), entry.content, tarPadding(entry.content.length)]),
    end,
  ]);

export const manifestOf = (files: SampleEntry[], change: object = {}): SampleEntry => ({
  name: 'manifest.json',
  content: Buffer.from(
    formatManifest({
      svcVersion: '0.1.0',
      createdAt: at.toISOString(),
      files: files.map(({ name, content }) => ({
        name,
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      })),
      ...change,
    }),
  ),
});

/** A backup of these files, written to a path. */
export function writeBackup(path: string, files: SampleEntry[], change: object = {}): string {
  writeFileSync(path, gzipSync(tarOf([manifestOf(files, change), ...files])));
  return path;
}

export const seed = Buffer.alloc(32, 7);
export const identityEntry: SampleEntry = {
  name: 'identity',
  content: Buffer.from(`${seed.toString('hex')}\n`),
};

/** An empty database of this version that says in its state whose it is. */
export async function databaseEntry(directory: string, mark: string): Promise<SampleEntry> {
  const file = join(directory, `${mark}.db`);
  await placeDatabase(file);
  const database = new DatabaseSync(file);
  const put = database.prepare('insert or replace into state (key, value) values (?, ?)');
  put.run('mark', mark);
  put.run('installation', `installation of ${mark}`);
  put.run('identity_check', new KeyRing(seed).check());
  // Large enough to be written in several steps.
  put.run('filler', 'x'.repeat(200_000));
  database.exec('pragma journal_mode = delete');
  database.close();
  return { name: 'svc.db', content: readFileSync(file) };
}

/** A home as a daemon leaves it; `config` and `data` are apart, as the XDG directories are. */
export async function makeHome(root: string, mark: string): Promise<Locations> {
  const env = {
    XDG_CONFIG_HOME: `${root}/config`,
    XDG_DATA_HOME: `${root}/data`,
    XDG_STATE_HOME: `${root}/state`,
  };
  const locations = locate({ env, platform: 'linux', home: root });
  mkdirSync(locations.config, { recursive: true });
  mkdirSync(join(locations.data, 'archive'), { recursive: true });
  writeFileSync(locations.settingsFile, settingsText(mark));
  writeFileSync(locations.databaseFile, (await databaseEntry(root, mark)).content);
  writeFileSync(join(locations.data, 'memory.db'), `memory of ${mark}`);
  writeFileSync(join(locations.data, 'archive', `audit-1-2.jsonl.gz`), mark);
  writeFileSync(locations.ownerSessionFile, mark);
  writeFileSync(locations.identityFile, identityEntry.content);
  return locations;
}

export const settingsText = (mark: string): string =>
  `${JSON.stringify({ agents: { http: { url: `https://${mark}.example` } } })}\n`;

/** Whose home this is, part by part. */
export function marksOf({ settingsFile, databaseFile, data }: Locations): Record<string, string | undefined> {
  const text = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  const database = existsSync(databaseFile) ? new DatabaseSync(databaseFile, { readOnly: true }) : undefined;
  try {
    return {
      database: database?.prepare("select value from state where key = 'mark'").get()?.['value'] as string,
      settings: /https:\/\/(\w+)/.exec(text(settingsFile) ?? '')?.[1],
      archive: text(join(data, 'archive', 'audit-1-2.jsonl.gz')),
    };
  } finally {
    database?.close();
  }
}

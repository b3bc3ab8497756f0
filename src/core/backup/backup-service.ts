import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { DatabaseSync } from 'node:sqlite';
import { createGzip } from 'node:zlib';
import type { Locations } from '../../contract/locations.ts';
import { AppError } from '../errors.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../log.ts';
import type { Runtime } from '../runtime.ts';
import { readMasterSeed } from '../secrets/master-seed.ts';
import { version } from '../version.ts';
import { DATABASE, MEMORY, SETTINGS } from './backup-manifest.ts';
import { measureFile, packBackup, type PackedFile } from './pack-backup.ts';
import { snapshotHome } from './snapshot-home.ts';

export interface BackupServiceDeps {
  config: Pick<Config, 'get'>;
  locations: Locations;
  runtime: Pick<Runtime, 'now' | 'newId'>;
  log: Log;
}

export interface OpenBackup {
  stream: Readable;
  createdAt: Date;
}

/** Makes backups of this home, or of the cluster, while daemons work. */
export class BackupService {
  readonly #deps: BackupServiceDeps;
  readonly #stopping = new AbortController();
  #isRunning = false;
  constructor(deps: BackupServiceDeps) {
    this.#deps = deps;
  }

  /** Removes the copies that a daemon which was killed has left. */
  removeLeft(): void {
    const { data } = this.#deps.locations;
    for (const name of readdirSync(data))
      if (name.startsWith(SNAPSHOT_PREFIX)) rmSync(join(data, name), { recursive: true, force: true });
  }

  /** Gives up what is being copied. */
  stop(): void {
    this.#stopping.abort(new AppError('unavailable', 'The daemon stops.'));
  }

  /**
   * A compressed backup of this moment; one at a time. The identity is never part of what leaves over the network: only
   * the scheduled backups of this machine ask for it.
   */
  async open({ identity = false }: { identity?: boolean } = {}): Promise<OpenBackup> {
    if (this.#isRunning)
      throw new AppError('unavailable', 'A backup is being made already. Try again when it is done.');
    this.#isRunning = true;
    const { locations, runtime } = this.#deps;
    const directory = join(locations.data, `${SNAPSHOT_PREFIX}${runtime.newId('tmp')}`);
    const finish = () => {
      this.#isRunning = false;
      rmSync(directory, { recursive: true, force: true });
    };
    try {
      mkdirSync(directory, { mode: 0o700 });
      const createdAt = runtime.now();
      const files = await this.#snapshot(directory);
      const seed = identity ? readMasterSeed(locations.identityFile) : undefined;
      const about = { svcVersion: version, createdAt: createdAt.toISOString() };
      const packed = packBackup(about, files, seed && Buffer.from(`${seed.toString('hex')}\n`));
      const stream = pipeline(Readable.from(packed), createGzip({ level: GZIP_LEVEL }), (error) => {
        finish();
        if (error) this.#deps.log.warn({ reason: error.message }, 'a backup was not read to its end');
      });
      return { stream, createdAt };
    } catch (error) {
      finish();
      throw error;
    }
  }

  /** The archives belong to the moment of the database: a later one would hold entries that are in the database, too. */
  async #snapshot(directory: string): Promise<PackedFile[]> {
    const { config, locations } = this.#deps;
    const url = config.get('mode') === 'pro' ? config.get('storage.url') : undefined;
    if (url === undefined) await snapshotHome(locations, directory);
    else {
      // Most daemons have SQLite and never load the client of PostgreSQL.
      const { snapshotCluster } = await import('./snapshot-cluster.ts');
      const server = { url, prepared: config.get('storage.prepared') };
      await snapshotCluster({ server, directory }, this.#stopping.signal);
    }
    const files = [DATABASE, MEMORY, SETTINGS].map((name) => ({ name, path: join(directory, name) }));
    for (const file of archivesIn(join(directory, DATABASE)))
      files.push({ name: `archive/${file}`, path: join(locations.data, 'archive', file) });
    // An archive that was moved elsewhere stays elsewhere.
    return Promise.all(
      files.filter(({ path }) => existsSync(path)).map(({ name, path }) => measureFile(name, path)),
    );
  }
}

/** Twice as fast as the default, and almost as small. */
const GZIP_LEVEL = 3;
const SNAPSHOT_PREFIX = '.snapshot-';

function archivesIn(databaseFile: string): string[] {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  try {
    return database
      .prepare('select file from audit_archives order by first_seq')
      .all()
      .map((row) => String(row['file']));
  } finally {
    database.close();
  }
}

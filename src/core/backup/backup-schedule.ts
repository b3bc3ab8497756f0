import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { z } from 'zod';
import { parseDuration } from '../../contract/duration.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Leases } from '../leases.ts';
import type { Config } from '../config/config.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { readState, writeState } from '../storage/state.ts';
import { backupName } from './backup-name.ts';
import type { BackupService } from './backup-service.ts';
import { storeBackup, WORK_PREFIX } from './store-backup.ts';

export interface BackupScheduleDeps {
  backups: Pick<BackupService, 'open'>;
  config: Pick<Config, 'get'>;
  database: Database;
  runtime: Pick<Runtime, 'now' | 'monotonic'>;
  log: Log;
  leases: Pick<Leases, 'take' | 'release'>;
  /** Whose disk the backups of this daemon are on. */
  daemon: DaemonIdentity;
  /** Where backups go unless a setting says otherwise. */
  directory: string;
}

export interface BackupScheduleStatus {
  /** The setting, while backups are scheduled. */
  every?: string;
  lastAt?: string;
  lastBytes?: number;
  /** Why the last one failed, until one succeeds. */
  failure?: string;
  /** True where two intervals passed without one. */
  isOverdue: boolean;
}

const madeSchema = z.array(
  z.object({
    file: z.string(),
    at: z.string(),
    bytes: z.number(),
    /** Which daemon of a cluster has made it: only that one can remove it. */
    daemon: z.string().optional(),
  }),
);
type Made = z.output<typeof madeSchema>;

const STATE = 'scheduled_backups';
const LEASE = 'scheduled backup';
const RETRY_MS = 600_000;
/** So many backups of other daemons wait to be removed by them; what is beyond is forgotten, as of one that is gone. */
const MAX_OF_OTHERS = 100;
/** A working directory of this age was left by a daemon that was killed. */
const LEFT_MS = 86_400_000;

/**
 * Makes a backup whenever one is due, and removes the oldest of those that it made. The daemons of a cluster make one
 * together, which is on the disk of whichever was the first, and each removes its own.
 */
export class BackupSchedule {
  readonly #deps: BackupScheduleDeps;
  readonly #startedAt: Date;
  /** Oldest first. */
  #made: Made = [];
  /** Those of them that could not be stored yet. */
  #unstored: Made = [];
  /** `at` is monotonic, `since` the time. */
  #failure: { message: string; at: number; since: number } | undefined;
  #running: Promise<void> | undefined;
  #stream: Readable | undefined;

  constructor(deps: BackupScheduleDeps) {
    this.#deps = deps;
    this.#startedAt = deps.runtime.now();
  }

  async load(): Promise<void> {
    const stored = await readState(this.#deps.database.read, STATE);
    const made = stored === undefined ? [] : (safeParse(madeSchema, JSON.parse(stored)).data ?? []);
    const unstored = this.#unstored.filter(({ file }) => made.every((each) => each.file !== file));
    this.#made = [...made, ...unstored].toSorted((a, b) => (a.at < b.at ? -1 : 1));
    const isNewer = Date.parse(this.#made.at(-1)?.at ?? '') > (this.#failure?.since ?? Infinity);
    // Another daemon has succeeded since.
    if (isNewer) this.#failure = undefined;
  }

  status(): BackupScheduleStatus {
    const { config, runtime } = this.#deps;
    const every = config.get('backup.every');
    const last = this.#made.at(-1);
    const since = Math.max(this.#startedAt.getTime(), Date.parse(last?.at ?? '') || 0);
    const isOverdue =
      every !== undefined && runtime.now().getTime() - since > 2 * (parseDuration(every) ?? 0);
    return {
      ...(every !== undefined && { every }),
      ...(last && { lastAt: last.at, lastBytes: last.bytes }),
      ...(every !== undefined && this.#failure && { failure: this.#failure.message }),
      isOverdue,
    };
  }

  /** Makes a backup if one is due; never rejects, because the next call tries again. */
  runIfDue(): Promise<void> {
    if (!this.#running && this.#isDue())
      this.#running = this.#runAlone().finally(() => {
        this.#running = undefined;
        this.#stream = undefined;
      });
    return this.#running ?? Promise.resolve();
  }

  /** Gives up a backup that is being made. */
  async stop(): Promise<void> {
    this.#stream?.destroy();
    await this.#running;
  }

  #isDue(): boolean {
    const { config, runtime } = this.#deps;
    const every = config.get('backup.every');
    if (every === undefined) return false;
    if (this.#failure && runtime.monotonic() - this.#failure.at < RETRY_MS) return false;
    const last = this.#made.at(-1);
    // A clock that was set back must not put the next one off for long.
    return !last || Math.abs(runtime.now().getTime() - Date.parse(last.at)) >= (parseDuration(every) ?? 0);
  }

  async #runAlone(): Promise<void> {
    const { leases } = this.#deps;
    try {
      if (!(await leases.take(LEASE)).isMine) return;
      try {
        // Another daemon may have made one.
        await this.load();
        if (this.#isDue()) await this.#run();
        else if (this.#surplus().some((each) => this.#isOwn(each))) await this.#removeOld();
      } finally {
        await leases.release(LEASE);
      }
    } catch (error) {
      this.#deps.log.warn({ reason: messageOf(error) }, 'the scheduled backup is put off');
    }
  }

  async #run(): Promise<void> {
    const { backups, config, runtime, log, directory: usual } = this.#deps;
    const { id, isInCluster } = this.#deps.daemon;
    const directory = config.get('backup.directory') ?? usual;
    try {
      // Never those above it: where a disk is not mounted, the backups would end up on the wrong one.
      if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
      removeLeft(directory, runtime.now());
      const { stream, createdAt } = await backups.open({ identity: config.get('backup.identity') });
      this.#stream = stream;
      const { file, bytes } = await storeBackup(stream, join(directory, backupName(createdAt)));
      const made = { file, at: createdAt.toISOString(), bytes, ...(isInCluster && { daemon: id }) };
      this.#made = [...this.#made, made];
      this.#unstored = [...this.#unstored, made];
      this.#failure = undefined;
      log.info({ file, bytes }, 'backup made');
      await this.#removeOld();
    } catch (error) {
      this.#failure = {
        message: messageOf(error),
        at: runtime.monotonic(),
        since: runtime.now().getTime(),
      };
      log.error({ reason: messageOf(error), directory }, 'the scheduled backup failed; it is tried again');
    }
  }

  /** Only files that the list names: others in the directory are none of its business. Stores what is left. */
  async #removeOld(): Promise<void> {
    const { database, log } = this.#deps;
    const surplus = this.#surplus();
    const removed = new Set(surplus.slice(0, -MAX_OF_OTHERS).filter((each) => !this.#isOwn(each)));
    for (const each of surplus.filter((one) => this.#isOwn(one)))
      try {
        rmSync(each.file, { force: true });
        removed.add(each);
      } catch (error) {
        log.warn({ file: each.file, reason: messageOf(error) }, 'an old backup could not be removed');
      }
    this.#made = this.#made.filter((each) => !removed.has(each));
    await database.write(({ db }) => writeState(db, STATE, JSON.stringify(this.#made)));
    this.#unstored = [];
  }

  #surplus(): Made {
    return this.#made.slice(0, Math.max(0, this.#made.length - this.#deps.config.get('backup.keep')));
  }

  /** Whether this daemon can remove it; one of before the cluster is where it is found. */
  #isOwn({ file, daemon }: Made[number]): boolean {
    const { id, isInCluster } = this.#deps.daemon;
    return !isInCluster || daemon === id || (daemon === undefined && existsSync(file));
  }
}

function removeLeft(directory: string, now: Date): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const left = name.startsWith(WORK_PREFIX) && now.getTime() - statSync(path).mtimeMs > LEFT_MS;
    if (left) rmSync(path, { recursive: true, force: true });
  }
}

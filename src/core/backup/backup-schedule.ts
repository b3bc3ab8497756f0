import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { z } from 'zod';
import { parseDuration } from '../../contract/duration.ts';
import { safeParse } from '../../contract/safe-parse.ts';
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

const madeSchema = z.array(z.object({ file: z.string(), at: z.string(), bytes: z.number() }));
type Made = z.output<typeof madeSchema>;

const STATE = 'scheduled_backups';
const LEASE = 'scheduled backup';
const RETRY_MS = 600_000;
/** A working directory of this age was left by a daemon that was killed. */
const LEFT_MS = 86_400_000;

/** Makes a backup whenever one is due, and removes the oldest of those that it made. */
export class BackupSchedule {
  readonly #deps: BackupScheduleDeps;
  readonly #startedAt: Date;
  /** Oldest first. */
  #made: Made = [];
  #failure: { message: string; at: number } | undefined;
  #running: Promise<void> | undefined;
  #stream: Readable | undefined;

  constructor(deps: BackupScheduleDeps) {
    this.#deps = deps;
    this.#startedAt = deps.runtime.now();
  }

  async load(): Promise<void> {
    const stored = await readState(this.#deps.database.read, STATE);
    const made = stored === undefined ? [] : (safeParse(madeSchema, JSON.parse(stored)).data ?? []);
    // With those of this daemon that could not be stored.
    const byFile = new Map([...this.#made, ...made].map((each) => [each.file, each]));
    this.#made = [...byFile.values()].toSorted((a, b) => (a.at < b.at ? -1 : 1));
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
      } finally {
        await leases.release(LEASE);
      }
    } catch (error) {
      this.#deps.log.warn({ reason: messageOf(error) }, 'the scheduled backup is put off');
    }
  }

  async #run(): Promise<void> {
    const { backups, config, database, runtime, log, directory: usual } = this.#deps;
    const directory = config.get('backup.directory') ?? usual;
    try {
      // Never those above it: where a disk is not mounted, the backups would end up on the wrong one.
      if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
      removeLeft(directory, runtime.now());
      const { stream, createdAt } = await backups.open({ identity: config.get('backup.identity') });
      this.#stream = stream;
      const { file, bytes } = await storeBackup(stream, join(directory, backupName(createdAt)));
      this.#made = [...this.#made, { file, at: createdAt.toISOString(), bytes }];
      this.#failure = undefined;
      log.info({ file, bytes }, 'backup made');
      this.#removeOld();
      await database.write(({ db }) => writeState(db, STATE, JSON.stringify(this.#made)));
    } catch (error) {
      this.#failure = { message: messageOf(error), at: runtime.monotonic() };
      log.error({ reason: messageOf(error), directory }, 'the scheduled backup failed; it is tried again');
    }
  }

  /** Only files that this home has made, by its own list: others in the directory are none of its business. */
  #removeOld(): void {
    const { config, log } = this.#deps;
    const surplus = this.#made.length - config.get('backup.keep');
    for (const { file } of this.#made.slice(0, Math.max(0, surplus)))
      try {
        rmSync(file, { force: true });
        this.#made = this.#made.filter((each) => each.file !== file);
      } catch (error) {
        log.warn({ file, reason: messageOf(error) }, 'an old backup could not be removed');
      }
  }
}

function removeLeft(directory: string, now: Date): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const left = name.startsWith(WORK_PREFIX) && now.getTime() - statSync(path).mtimeMs > LEFT_MS;
    if (left) rmSync(path, { recursive: true, force: true });
  }
}

import type { DataUsage, PruneData, PruneReport } from '../../contract/data.ts';
import type { Locations } from '../../contract/locations.ts';
import type { AuditArchive } from '../audit/audit-archive.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { measureUsage } from './data-usage.ts';
import type { Retention } from './retention.ts';

const ARCHIVE_AFTER_MS = 90 * 86_400_000;

export interface DataServiceDeps {
  database: Database;
  retention: Retention;
  audit: AuditLog;
  auditArchive: AuditArchive;
  /** Removes the contents that no kept change of a file names any more. */
  tidyKeptFiles: () => Promise<void>;
  locations: Locations;
  runtime: Runtime;
}

/** Measures and reduces the stored data on behalf of an administrator. */
export class DataService {
  readonly #deps: DataServiceDeps;
  #isPruning = false;
  constructor(deps: DataServiceDeps) {
    this.#deps = deps;
  }

  async usage(): Promise<DataUsage> {
    const { database, retention, auditArchive, locations } = this.#deps;
    return {
      ...(await measureUsage(database, locations)),
      retention: retention.list(),
      archives: await auditArchive.list(),
    };
  }

  /** Removes all expired data and returns the space to the disk. */
  async prune(caller: Caller, { dryRun, vacuum }: PruneData, address?: string): Promise<PruneReport> {
    const { database, retention } = this.#deps;
    const { space } = database;
    const before = await space.read();
    if (dryRun)
      return {
        dryRun,
        removed: await retention.countOld(),
        freedBytes: 0,
        incrementalVacuum: before.isIncremental,
      };
    if (this.#isPruning)
      throw new AppError('unavailable', 'A clean-up is running already. Try again when it is done.');
    this.#isPruning = true;
    try {
      const removed = await this.#removeAll();
      await this.#deps.tidyKeptFiles();
      await retention.giveBack(0, Infinity);
      if (vacuum) await space.rewrite();
      const after = await space.read();
      const freedBytes = Math.max(0, before.bytes - after.bytes);
      await this.#record(caller, { vacuum, freedBytes, removed: Object.fromEntries(removed) }, address);
      return {
        dryRun,
        removed: [...removed].map(([name, count]) => ({ name, count })),
        freedBytes,
        incrementalVacuum: after.isIncremental,
      };
    } finally {
      this.#isPruning = false;
    }
  }

  /** Moves audit entries from before the time to a file; undefined if there are none. */
  archive(caller: Caller, before: string | undefined, address?: string) {
    const { auditArchive, runtime } = this.#deps;
    const now = runtime.now();
    const usual = new Date(now.getTime() - ARCHIVE_AFTER_MS).toISOString();
    const asked = before ?? usual;
    return auditArchive.archive(asked < now.toISOString() ? asked : now.toISOString(), {
      userId: caller.userId,
      address,
    });
  }

  async #removeAll(): Promise<Map<string, number>> {
    const sums = new Map<string, number>();
    for (let hasMore = true; hasMore;) {
      const part = await this.#deps.retention.removeOld();
      let taken = 0;
      for (const { name, count } of part.removed) {
        sums.set(name, (sums.get(name) ?? 0) + count);
        taken += count;
      }
      // Stops when only data remains that is still needed.
      hasMore = part.hasMore && taken > 0;
    }
    return sums;
  }

  async #record(caller: Caller, values: Record<string, unknown>, address?: string): Promise<void> {
    const { database, audit } = this.#deps;
    await database.write((transaction) =>
      audit.append(transaction, {
        kind: 'security',
        tool: 'data.pruned',
        userId: caller.userId,
        address,
        arguments: values,
        result: 'ok',
      }),
    );
  }
}

import type { Database } from '../storage/database.ts';
import type { AuditEntry, AuditLog } from './audit-log.ts';
import { PendingEntry } from './pending-entry.ts';

/** Records what requests change, in the transaction of the change where it appends the entry, else on its own. */
export class AuditRecorder {
  readonly #database: Database;
  readonly #audit: AuditLog;
  constructor(database: Database, audit: AuditLog) {
    this.#database = database;
    this.#audit = audit;
  }

  prepare(entry: AuditEntry): PendingEntry {
    return new PendingEntry(this.#audit, entry);
  }

  /** Stores an entry that no transaction has taken along. */
  async record(entry: PendingEntry, more?: Record<string, unknown>): Promise<void> {
    if (!entry.isStored) await this.#database.write((transaction) => entry.append(transaction, more));
  }
}

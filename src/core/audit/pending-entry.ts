import type { WriteTransaction } from '../storage/database.ts';
import type { AuditEntry, AuditLog } from './audit-log.ts';

/** The audit entry of a request: appended once, by the transaction that makes the change for which the request asks. */
export class PendingEntry {
  readonly #audit: AuditLog;
  readonly #entry: AuditEntry;
  #isStored = false;

  constructor(audit: AuditLog, entry: AuditEntry) {
    this.#audit = audit;
    this.#entry = entry;
  }

  /** False until the transaction to which it was appended is committed. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** To be called in the transaction of the change, after the last check that may refuse it; `more` are arguments. */
  async append(transaction: WriteTransaction, more: Record<string, unknown> = {}): Promise<void> {
    if (this.#isStored) return;
    const entry = { ...this.#entry, arguments: { ...this.#entry.arguments, ...more } };
    await this.#audit.append(transaction, entry);
    transaction.afterCommit(() => (this.#isStored = true));
  }
}

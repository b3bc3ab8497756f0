import type { AuditRow } from '../storage/rows/audit.ts';
import { FIRST_HASH, hashOfEntry } from './audit-log.ts';

/** The event of an archive. Its entry contains the last hash of the archive, which protects it with the hash chain. */
export const archivedEvent = 'audit.archived';

/** Follows the hash chain entry by entry. */
export class AuditChain {
  seq = 0;
  lastHash = FIRST_HASH;
  /** The last hash of each archive according to the log, by the sequence number of its last entry. */
  readonly stated = new Map<number, string>();

  /** Returns what is wrong with the next entry, if anything. */
  follow({ hash, ...row }: AuditRow): string | undefined {
    const seq = this.seq + 1;
    if (row.seq !== seq) return `Entry ${seq} is missing`;
    if (row.previous_hash !== this.lastHash) return `Entry ${seq} does not follow the one before it`;
    if (hashOfEntry(row) !== hash) return `Entry ${seq} was changed`;
    this.seq = seq;
    this.lastHash = hash;
    if (row.tool === archivedEvent) {
      const { lastSeq, lastHash } = JSON.parse(row.arguments) as { lastSeq?: number; lastHash?: string };
      if (lastSeq !== undefined && lastHash !== undefined) this.stated.set(lastSeq, lastHash);
    }
    return undefined;
  }

  /** Continues after entries that are not available. */
  skipTo(seq: number, hash: string): void {
    this.seq = seq;
    this.lastHash = hash;
  }
}

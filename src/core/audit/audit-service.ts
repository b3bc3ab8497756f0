import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AuditEntry, AuditQuery, AuditVerification } from '../../contract/audit.ts';
import { AppError } from '../errors.ts';
import type { AuditRow } from '../storage/rows/audit.ts';
import { FIRST_HASH, hashOfEntry } from './audit-log.ts';
import type { AuditStore } from './audit-store.ts';

const PAGE = 1000;

/** Reads the audit log and verifies its integrity. */
export class AuditService {
  readonly #store: AuditStore;
  constructor(store: AuditStore) {
    this.#store = store;
  }

  async list(query: AuditQuery) {
    const { rows, total } = await this.#store.list(query);
    return { entries: rows.map(toAuditEntry), total, limit: query.limit, offset: query.offset };
  }

  async get(id: string): Promise<AuditEntry> {
    const row = await this.#store.find(id);
    if (!row) throw new AppError('not_found', 'Audit entry not found');
    return toAuditEntry(row);
  }

  /** Verifies the hash chain; detects changed, missing and moved entries. A truncated end shows only in `lastHash`. */
  async verify(): Promise<AuditVerification> {
    let entries = 0;
    let lastHash = FIRST_HASH;
    for (
      let page = await this.#store.page(0, PAGE);
      page.length > 0;
      page = await this.#store.page(entries, PAGE)
    ) {
      for (const row of page) {
        const reason = findFault(row, entries + 1, lastHash);
        if (reason !== undefined) return { valid: false, entries, brokenAt: row.seq, reason, lastHash };
        entries++;
        lastHash = row.hash;
      }
      // Lets other requests run while a long log is read.
      await yieldToEventLoop();
    }
    return { valid: true, entries, lastHash };
  }
}

function findFault({ hash, ...row }: AuditRow, seq: number, previous: string): string | undefined {
  if (row.seq !== seq) return `Entry ${seq} is missing`;
  if (row.previous_hash !== previous) return `Entry ${seq} does not follow the one before it`;
  if (hashOfEntry(row) !== hash) return `Entry ${seq} was changed`;
  return undefined;
}

const toAuditEntry = (row: AuditRow): AuditEntry => ({
  id: row.id,
  seq: row.seq,
  timestamp: row.at,
  kind: row.kind === 'tool' ? 'tool' : 'security',
  tool: row.tool,
  arguments: JSON.parse(row.arguments) as AuditEntry['arguments'],
  result: row.result,
  ...(row.user_id !== null && { userId: row.user_id }),
  ...(row.conversation_id !== null && { conversationId: row.conversation_id }),
  ...(row.task_id !== null && { taskId: row.task_id }),
  ...(row.call_id !== null && { callId: row.call_id }),
  ...(row.address !== null && { address: row.address }),
  ...(row.approved !== null && { approved: row.approved === 1 }),
  ...(row.decision !== null && { approvalDecision: row.decision }),
  hash: row.hash,
});

import type { AuditEntry, AuditQuery, AuditVerification } from '../../contract/audit.ts';
import { AppError } from '../errors.ts';
import type { AuditRow } from '../storage/rows/audit.ts';
import type { AuditStore } from './audit-store.ts';
import { verifyLog } from './verify-log.ts';

/** Reads the audit log and verifies its integrity. */
export class AuditService {
  readonly #store: AuditStore;
  readonly #archiveDirectory: string;
  constructor(store: AuditStore, archiveDirectory: string) {
    this.#store = store;
    this.#archiveDirectory = archiveDirectory;
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

  /** See `verifyLog`. */
  verify(): Promise<AuditVerification> {
    return verifyLog(this.#store, this.#archiveDirectory);
  }
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

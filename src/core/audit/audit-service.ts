import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AuditEntry, AuditQuery, AuditVerification } from '../../contract/audit.ts';
import { AppError } from '../errors.ts';
import type { AuditRow } from '../storage/rows/audit.ts';
import { readArchive } from './archive-file.ts';
import { AuditChain } from './audit-chain.ts';
import type { AuditStore } from './audit-store.ts';
import { DecisionProofs } from './decision-proofs.ts';

const PAGE = 1000;

interface Fault {
  reason: string;
  /** The number of the entry. */
  brokenAt?: number;
}

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

  /**
   * Verifies the hash chain from the first archive to the end of the log, and the signatures of decisions; detects changed,
   * missing and moved entries. A truncated end shows only in `lastHash`. Archives that are not found are skipped and listed.
   */
  async verify(): Promise<AuditVerification> {
    const chain = new AuditChain();
    const proofs = new DecisionProofs();
    const counts = () => ({ decisions: proofs.decisions, signedDecisions: proofs.signed });
    const missingArchives: string[] = [];
    let entries = 0;
    const follow = async (rows: AsyncIterable<AuditRow>): Promise<Fault | undefined> => {
      for await (const row of rows) {
        const reason = chain.follow(row) ?? proofs.follow(row);
        if (reason !== undefined) return { reason, brokenAt: row.seq };
        // Lets other requests run while a long log is read.
        if (++entries % PAGE === 0) await yieldToEventLoop();
      }
      return undefined;
    };
    const invalid = (reason: string, brokenAt = chain.seq + 1): AuditVerification => ({
      valid: false,
      entries,
      ...counts(),
      brokenAt,
      reason,
      lastHash: chain.lastHash,
    });
    const archives = await this.#store.archives();
    for (const archive of archives) {
      if (archive.previous_hash !== chain.lastHash || archive.first_seq !== chain.seq + 1)
        return invalid(`The archive ${archive.file} does not follow the one before it`);
      const path = join(this.#archiveDirectory, archive.file);
      if (existsSync(path)) {
        const reason = `The archive ${archive.file} is damaged`;
        const fault = await follow(readArchive(path)).catch((): Fault => ({ reason }));
        if (fault) return invalid(fault.reason, fault.brokenAt);
        if (chain.lastHash !== archive.last_hash)
          return invalid(`The archive ${archive.file} does not end with its last entry`);
      } else {
        missingArchives.push(path);
        proofs.skip();
      }
      chain.skipTo(archive.last_seq, archive.last_hash);
    }
    const fault = await follow(this.#rows(chain.seq));
    if (fault) return invalid(fault.reason, fault.brokenAt);
    // The entry about an archive may itself be in a later archive that is missing.
    for (const { file, last_seq, last_hash } of archives.toReversed()) {
      if (chain.stated.get(last_seq) !== last_hash) return invalid(`No entry states the archive ${file}`);
      if (missingArchives.includes(join(this.#archiveDirectory, file))) break;
    }
    return {
      valid: true,
      entries,
      ...counts(),
      lastHash: chain.lastHash,
      ...(missingArchives.length > 0 && { missingArchives }),
    };
  }

  async *#rows(after: number): AsyncGenerator<AuditRow> {
    for (let last = after; ;) {
      const page = await this.#store.page(last, PAGE);
      yield* page;
      last = page.at(-1)?.seq ?? last;
      if (page.length < PAGE) return;
    }
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

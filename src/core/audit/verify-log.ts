import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AuditVerification } from '../../contract/audit.ts';
import type { AuditRow } from '../storage/rows/audit.ts';
import { readArchive } from './archive-file.ts';
import { AuditChain } from './audit-chain.ts';
import type { AuditPages } from './audit-store.ts';
import { DecisionProofs } from './decision-proofs.ts';

const PAGE = 1000;

interface Fault {
  reason: string;
  /** The number of the entry. */
  brokenAt?: number;
}

/**
 * Verifies the hash chain from the first archive to the end of the log, and the signatures of decisions; detects changed,
 * missing and moved entries. A truncated end shows only in `lastHash`. Archives that are not found are skipped and listed.
 */
export async function verifyLog(log: AuditPages, archiveDirectory: string): Promise<AuditVerification> {
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
  const archives = await log.archives();
  for (const archive of archives) {
    if (archive.previous_hash !== chain.lastHash || archive.first_seq !== chain.seq + 1)
      return invalid(`The archive ${archive.file} does not follow the one before it`);
    const path = join(archiveDirectory, archive.file);
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
  const fault = await follow(entriesAfter(log, chain.seq));
  if (fault) return invalid(fault.reason, fault.brokenAt);
  // The entry about an archive may itself be in a later archive that is missing.
  for (const { file, last_seq, last_hash } of archives.toReversed()) {
    if (chain.stated.get(last_seq) !== last_hash) return invalid(`No entry states the archive ${file}`);
    if (missingArchives.includes(join(archiveDirectory, file))) break;
  }
  return {
    valid: true,
    entries,
    ...counts(),
    lastHash: chain.lastHash,
    ...(missingArchives.length > 0 && { missingArchives }),
  };
}

async function* entriesAfter(log: AuditPages, after: number): AsyncGenerator<AuditRow> {
  for (let last = after; ;) {
    const page = await log.page(last, PAGE);
    yield* page;
    last = page.at(-1)?.seq ?? last;
    if (page.length < PAGE) return;
  }
}

import type { AuditVerification } from '../../contract/audit.ts';
import { AppError, messageOf } from '../errors.ts';
import { readArchive } from './archive-file.ts';
import { AuditChain } from './audit-chain.ts';
import { DecisionProofs } from './decision-proofs.ts';

/**
 * Verifies archives of the audit log without a daemon, in their order: the hash chain, and the signatures of decisions. The
 * first may begin anywhere in the log.
 */
export async function verifyFiles(paths: readonly string[]): Promise<AuditVerification> {
  const chain = new AuditChain();
  const proofs = new DecisionProofs();
  let entries = 0;
  const answer = (more: Pick<AuditVerification, 'valid' | 'reason' | 'brokenAt'>): AuditVerification => ({
    entries,
    decisions: proofs.decisions,
    signedDecisions: proofs.signed,
    lastHash: chain.lastHash,
    ...more,
  });
  for (const path of paths)
    try {
      for await (const row of readArchive(path)) {
        if (entries === 0 && row.seq > 1) {
          chain.skipTo(row.seq - 1, row.previous_hash);
          proofs.skip();
        }
        const reason = chain.follow(row) ?? proofs.follow(row);
        if (reason !== undefined) return answer({ valid: false, reason, brokenAt: row.seq });
        entries++;
      }
    } catch (error) {
      throw new AppError('validation', `${path} cannot be read as an archive: ${messageOf(error)}`, {
        cause: error,
      });
    }
  return answer({ valid: true });
}

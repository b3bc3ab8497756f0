import type { ApprovalCoverage } from '../../contract/approvals.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { Decided } from './decision-signatures.ts';

/** What a decision allows, for the audit log. */
export const coveredBy = (row: ApprovalRow, coverage: ApprovalCoverage) =>
  coverage === 'tool' ? `every call of ${row.tool}` : (row.covers ?? 'this call');

/** Where and how it was decided, and what verifies that again; nothing of a decision without a session. */
export const auditedDecider = ({ decider, proof, refused }: Decided) => ({
  ...(decider.via !== 'none' && { decider }),
  ...(proof && { signature: proof }),
  ...(refused !== undefined && { signatureRefused: refused }),
});

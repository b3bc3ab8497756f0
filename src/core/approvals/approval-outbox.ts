import type { WriteTransaction } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';

/** Messages about approvals that are as durable as the approvals themselves, such as webhook deliveries. */
export interface ApprovalOutbox {
  /**
   * Stores in the transaction what is sent after the commit, once for each change of the status: of a `pending` row that
   * it was requested, of any other that it was decided or expired. Costs next to nothing while nothing is subscribed.
   */
  addApproval(transaction: WriteTransaction, row: ApprovalRow): Promise<void>;
}

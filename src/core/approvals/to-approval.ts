import type { Approval, ApprovalDecision, Decider, FileDiff } from '../../contract/approvals.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import { agentOf } from './approval-facts.ts';

/** The arguments of the person, with secrets masked. */
export const editedShown = ({ edited }: Pick<ApprovalRow, 'edited'>) =>
  edited === null ? undefined : (JSON.parse(edited) as { shown: Approval['params'] }).shown;

/** An approval without what only its service knows. */
export function toApproval(row: ApprovalRow): Approval {
  const agent = agentOf(row);
  return {
    id: row.id,
    status: row.status as Approval['status'],
    ...(row.conversation_id !== null && { conversationId: row.conversation_id }),
    ...(row.task_id !== null && { taskId: row.task_id }),
    toolName: row.tool,
    ...(agent !== undefined && { agent }),
    params: JSON.parse(row.arguments) as Approval['params'],
    cwd: row.cwd,
    securityLevel: row.danger as Approval['securityLevel'],
    reason: row.reason,
    ...(row.scripts !== null && { scripts: JSON.parse(row.scripts) as Approval['scripts'] }),
    ...(row.diff !== null && { diff: JSON.parse(row.diff) as FileDiff }),
    ...(row.edited !== null && { editedParams: editedShown(row) }),
    ...(row.covers !== null && { alwaysCovers: row.covers }),
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    ...(row.decision !== null && { decision: row.decision as ApprovalDecision }),
    ...(row.decided_at !== null && { decidedAt: row.decided_at }),
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    ...(row.decider !== null && { decider: JSON.parse(row.decider) as Decider }),
    ...(row.denial_reason !== null && { denialReason: row.denial_reason }),
  };
}

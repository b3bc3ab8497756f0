import { pageUrl } from '../../contract/page-url.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import { cutText } from '../text/cut-text.ts';
import { cutArguments } from './cut-arguments.ts';

const MAX_TEXT = 1000;

/** What an event says about an approval beside its row. */
export interface ApprovalContext {
  /** Undefined without a task. */
  taskTitle: string | undefined;
  /** The name of the person who decided. */
  decidedByName: string | undefined;
  baseUrl: string | undefined;
}

/** The fields of `approval.requested` and, once it is decided or expired, of `approval.decided`. */
export function approvalPayload(row: ApprovalRow, context: ApprovalContext): object {
  const { taskTitle, decidedByName, baseUrl } = context;
  return {
    id: row.id,
    ...(row.task_id !== null && { taskId: row.task_id }),
    ...(taskTitle !== undefined && { taskTitle }),
    ...(row.conversation_id !== null && { conversationId: row.conversation_id }),
    tool: cutText(row.tool, MAX_TEXT),
    // Stored with secrets masked.
    ...cutArguments(JSON.parse(row.arguments) as Record<string, unknown>),
    danger: row.danger,
    reason: cutText(row.reason, MAX_TEXT),
    cwd: cutText(row.cwd, MAX_TEXT),
    expiresAt: row.expires_at,
    ...(baseUrl !== undefined && { link: pageUrl(baseUrl, 'approvals', row.id) }),
    ...(row.status !== 'pending' && {
      status: row.status,
      decision: row.decision,
      decidedAt: row.decided_at,
      decidedBy: row.decided_by,
      ...(decidedByName !== undefined && { decidedByName }),
    }),
  };
}

/** The fields of `task.waiting` for a task that waits for an approval. */
export const waitingPayload = (
  { task_id, tool, expires_at }: ApprovalRow,
  { taskTitle }: ApprovalContext,
): object => ({
  id: task_id,
  title: taskTitle,
  reason: 'approval',
  message: `${cutText(tool, MAX_TEXT)} needs approval`,
  until: expires_at,
});

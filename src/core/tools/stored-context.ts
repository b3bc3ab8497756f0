import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { ToolContext } from './tool.ts';

type Rights = Pick<
  ToolContext,
  'workspace' | 'mode' | 'mayRunCommands' | 'isTrusted' | 'memoryScope' | 'umask'
>;

/** What an approval stores of the run that asked for it, so that changed arguments are reviewed under the same rights; `agent` is the one that runs the call itself. */
export function storedContext(context: ToolContext, agent?: string): string {
  const { workspace, mode, mayRunCommands, isTrusted, memoryScope, umask } = context;
  const rights = { workspace, mode, mayRunCommands, isTrusted, memoryScope, umask } satisfies {
    [K in keyof Rights]: unknown;
  };
  return JSON.stringify({ ...rights, agent });
}

/** The context of the call of an approval; undefined for one that an earlier version stored. */
export function contextOf(
  row: Pick<ApprovalRow, 'context' | 'owner_id' | 'conversation_id' | 'task_id'>,
  signal: AbortSignal,
): ToolContext | undefined {
  if (row.context === null) return undefined;
  return {
    ...(JSON.parse(row.context) as Rights),
    userId: row.owner_id,
    conversationId: row.conversation_id ?? undefined,
    taskId: row.task_id ?? undefined,
    signal,
  };
}

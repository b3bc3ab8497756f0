import type { ToolCall } from '../../../contract/conversations.ts';
import { mayContainUntrustedText } from '../recall/run-steps.ts';
import type { ConversationRow } from '../../storage/rows/conversations.ts';
import type { Database } from '../../storage/database.ts';
import { toTask } from '../../tasks/task-mapping.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import { runCommandName } from '../../tools/commands/run-command.ts';
import { isCreatedByTool } from '../../tasks/task-origin.ts';
import type { ToolResult } from '../../tools/tool-gate.ts';

/** A call with its result and the environment that its plan named. */
export interface RanCall {
  result: ToolResult;
  environment?: string;
  paths?: readonly string[];
}

/** Whether the result of a call may contain untrusted text. */
export function isCallTainted(name: string, { result, environment }: RanCall): boolean {
  // In a sandbox there is no network, and a command that was refused did not run anywhere.
  const isLocal = environment === 'sandbox' || (environment === undefined && !result.success);
  if (name === runCommandName && isLocal) return false;
  return mayContainUntrustedText({ name, result: result.content });
}

/** Whether the task or an earlier call of a conversation may have brought untrusted text into it. */
export async function isConversationTainted(
  { database, tasks }: { database: Database; tasks: Pick<TaskStore, 'find'> },
  { id, task_id }: Pick<ConversationRow, 'id' | 'task_id'>,
): Promise<boolean> {
  if (task_id !== null) {
    const task = await tasks.find(task_id);
    // A deleted task cannot be checked, and the result of a task may quote what its run read.
    if (task?.is_trusted !== 1 || task.result !== null || task.error !== null) return true;
    if (isCreatedByTool(toTask(task).metadata)) return true;
  }
  const rows = await database.read
    .selectFrom('messages')
    .select('tool_calls')
    .where('conversation_id', '=', id)
    .where('tool_calls', 'is not', null)
    .execute();
  return rows.some(({ tool_calls }) =>
    (JSON.parse(tool_calls ?? '[]') as ToolCall[]).some((call) => mayContainUntrustedText(call)),
  );
}

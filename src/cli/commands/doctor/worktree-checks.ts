import { ApiError, type Client } from '../../../contract/client.ts';
import type { WorktreeOrphan } from '../../../contract/data.ts';
import type { Check } from './check.ts';

/** Whether every worktree has its task and every task its worktree; nothing for people who are no administrators. */
export async function worktreeChecks(client: Client, mayFix: boolean): Promise<Check[]> {
  try {
    if (!mayFix) return checksOf((await client.data.getWorktreeOrphans()).orphans);
    const { removed, kept } = await client.data.removeWorktreeOrphans();
    const fixed: Check = {
      name: 'worktrees',
      status: 'ok',
      message: `Removed ${removed.length === 1 ? '1 worktree' : `${removed.length} worktrees`} without changes`,
    };
    return removed.length > 0 ? [fixed, ...(kept.length > 0 ? checksOf(kept) : [])] : checksOf(kept);
  } catch (error) {
    // A daemon from before has no worktrees.
    if (error instanceof ApiError && [403, 404].includes(error.status)) return [];
    throw error;
  }
}

function checksOf(orphans: readonly WorktreeOrphan[]): Check[] {
  if (orphans.length === 0)
    return [{ name: 'worktrees', status: 'ok', message: 'Every worktree belongs to a task' }];
  return orphans.map(({ kind, path, taskId, isClean }) => ({
    name: 'worktrees',
    subject: taskId,
    status: 'warn',
    message:
      kind === 'directory' ? `${path} belongs to no task` : `${path} is gone, but its task still has it`,
    next: isClean
      ? 'Remove it: svc doctor --fix'
      : kind === 'directory'
        ? `It may hold work. Look at it, then remove it: git worktree remove --force ${path}`
        : `Its branch has commits. Remove it: svc tasks discard ${taskId}`,
  }));
}

import type { Approval } from '../../../contract/approvals.ts';
import { ApiError, type Client } from '../../../contract/client.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { formatLeft } from '../../output/duration.ts';

/** More than can be pending for a user. */
const MOST = 500;

/** The calls for which tasks wait, by task; empty for callers who may not read approvals. */
export async function callsOfTasks(client: Client, taskId?: string): Promise<ReadonlyMap<string, Approval>> {
  try {
    const { approvals } = await client.approvals.list({ query: { limit: MOST, ...(taskId && { taskId }) } });
    // The first of several counts.
    return new Map(approvals.toReversed().flatMap((each) => (each.taskId ? [[each.taskId, each]] : [])));
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return new Map();
    throw error;
  }
}

/** `edit_file, until 2026-… (23 h left)`. */
export const waitText = ({ toolName, expiresAt }: Approval, now: number): string =>
  `${visibleLine(toolName)}, until ${expiresAt}  (${formatLeft(expiresAt, now)} left)`;

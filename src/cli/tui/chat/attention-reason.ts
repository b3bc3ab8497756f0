import { visibleLine } from '../../../contract/visible-text.ts';
import { LONG_MS } from '../../output/call-attention.ts';
import { isRunning, type RunState } from '../parts/run-state.ts';

/** Why the person should look again, after a change of what is shown; undefined where nothing asks for it. */
export function attentionReason(before: RunState, after: RunState): string | undefined {
  const [asked] = after.approvals;
  if (asked && before.approvals[0]?.id !== asked.id) return `${visibleLine(asked.toolName)} needs approval`;
  const { startedAt, endedAt } = after;
  if (!isRunning(before) || isRunning(after) || startedAt === undefined || endedAt === undefined)
    return undefined;
  if (endedAt - startedAt < LONG_MS) return undefined;
  return after.phase === 'failed' ? 'the answer failed' : 'the answer is complete';
}

import { AgentFailure, type AgentResult } from '../agents/agent-adapter.ts';
import type { DriverFailure } from '../agents/drivers/driver.ts';
import type { AgentPreset } from '../agents/presets.ts';
import { loginProblem } from './program-problem.ts';

/** Failures that are repeated once and no more: the answer of the model may have been bad luck. */
const onceMore = new Set(['refused', 'empty']);

/** What an agent reports of a failed turn, as the failure of an attempt. */
export function toAgentFailure(
  { class: failure, code, message, resetsAt }: DriverFailure,
  {
    type,
    preset,
    attempt,
    result,
  }: { type: string; preset: AgentPreset; attempt: number; result: AgentResult },
): AgentFailure {
  if (failure === 'auth')
    return new AgentFailure(failure, code, loginProblem({ type, preset }).message, {
      result,
      needsPerson: true,
    });
  return new AgentFailure(failure, code, message, {
    result,
    resetsAt,
    isFinal: onceMore.has(code) && attempt > 1,
    isOutage: failure === 'rate_limited' || failure === 'network',
  });
}

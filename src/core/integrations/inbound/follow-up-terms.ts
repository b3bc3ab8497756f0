import type { CreateTask, Task } from '../../../contract/task.ts';
import type { AgentGrant } from '../../agents/agent-grant.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { stricterMode } from '../../policy/security-modes.ts';
import type { SandboxState } from '../../processes/sandbox.ts';
import { type StoredTask, toTask } from '../../tasks/task-mapping.ts';

export interface FollowUpTermsDeps {
  policy: Pick<PolicyService, 'policy'>;
  /** Whether agents that are programs run in a sandbox, and why not. */
  checkAgentSandbox: () => Promise<SandboxState>;
}

/** What a follow-up takes over from the task that it follows, besides its agent, session and worktree. */
export function inheritedFields(
  deps: Pick<FollowUpTermsDeps, 'policy'>,
  last: StoredTask,
  { isVerifyVouched }: { isVerifyVouched: boolean },
): Partial<CreateTask> {
  const task = toTask(last);
  const { model, provider, maxSteps, maxBudget, maxCostUsd, maxTimeMs } = task;
  const { maxAttempts, retryOnFailure, umask, memoryScope } = task;
  return {
    model,
    provider,
    maxSteps,
    maxBudget,
    maxCostUsd,
    maxTimeMs,
    maxAttempts,
    retryOnFailure: retryOnFailure ?? false,
    umask,
    memoryScope,
    securityMode: stricterMode(modeOf(deps, task), deps.policy.policy.defaultMode),
    ...(isVerifyVouched && { verify: task.verify, repair: task.repair }),
  };
}

/** Why the follow-up has to wait for a person, or the rule by which it runs by itself. */
export async function followUpStart(
  deps: FollowUpTermsDeps,
  { last, agent, rule }: { last: StoredTask; agent: string; rule: string },
): Promise<{ hold: string } | { grant: AgentGrant }> {
  const mode = modeOf(deps, toTask(last));
  if (mode !== 'sandbox' && mode !== 'allowlist')
    return hold(
      agent,
      `A follow-up runs by itself only after a task in the mode sandbox or allowlist, and the mode of this one is ${mode}`,
    );
  const sandbox = await deps.checkAgentSandbox();
  if (!sandbox.isWorking)
    return hold(agent, `It would run by itself in a sandbox, and there is none: ${sandbox.reason}`);
  return { grant: { vendor: 'github', rule, kind: 'follow_up' } };
}

const hold = (agent: string, reason: string) => ({
  hold: `On hold: ${agent} runs programs, and the text comes from GitHub. ${reason}. Read it with svc tasks show, then let it run with svc tasks release`,
});

const modeOf = ({ policy }: Pick<FollowUpTermsDeps, 'policy'>, { securityMode }: Task) =>
  securityMode ?? policy.policy.defaultMode;

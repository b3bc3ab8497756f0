import type { Task } from '../../contract/task.ts';
import { AgentFailure } from '../agents/agent-adapter.ts';
import { type AgentGrant, grantedMode, grantOf } from '../agents/agent-grant.ts';
import type { UserStore } from '../auth/user-store.ts';
import { areAdmins } from '../chat/runs/run-rights.ts';
import type { Config } from '../config/config.ts';
import type { PolicyService } from '../policy/policy-service.ts';
import { modeFor, stricterMode } from '../policy/security-modes.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { ToolContext } from '../tools/tool.ts';

/** Under which rights the calls of a task are judged. */
export interface RunRights {
  mode: ToolContext['mode'];
  context: Omit<ToolContext, 'workspace' | 'signal'>;
  /** Whether other people wrote the text of the task, which is then fenced in the prompt. */
  isTicket: boolean;
}

export interface TaskRightsDeps {
  tasks: Pick<TaskStore, 'find'>;
  users: UserStore;
  policy: PolicyService;
  config: Pick<Config, 'get'>;
}

/** Finds the rights of a task when it runs: rights that were revoked meanwhile do not apply. */
export class TaskRights {
  readonly #deps: TaskRightsDeps;
  constructor(deps: TaskRightsDeps) {
    this.#deps = deps;
  }

  async of({ id, securityMode, umask }: Task): Promise<RunRights> {
    const { tasks, users, policy } = this.#deps;
    const stored = await tasks.find(id);
    if (!stored) throw new AgentFailure('invalid_input', 'not_found', 'The task was deleted');
    const { owner_id: userId } = stored;
    const isTrusted = stored.is_trusted === 1;
    const mayRunCommands = stored.may_command === 1;
    const grant = mayRunCommands ? undefined : grantOf(stored);
    if (!(mayRunCommands || grant) || !(await areAdmins(users, userId)))
      throw new AgentFailure(
        'policy_denied',
        'no_command_rights',
        'The owner of the task may not run commands, and this agent runs programs',
        { isFinal: true },
      );
    const requested = modeFor((await policy.current()).defaultMode, securityMode, mayRunCommands);
    const limit = grant ? this.#limitBy(grant, stored) : isTrusted ? 'full' : 'allowlist';
    const mode = stricterMode(requested, limit);
    return {
      mode,
      context: { userId, mode, mayRunCommands, isTrusted, taskId: id, umask },
      isTicket: grant?.kind === 'ticket',
    };
  }

  /** Whether what runs for the task runs in a sandbox or not at all. */
  async needsSandbox(id: string): Promise<boolean> {
    const stored = await this.#deps.tasks.find(id);
    return stored?.is_trusted !== 1 || stored.agent_rule !== null;
  }

  #limitBy(grant: AgentGrant, { assigned_agent: agent }: StoredTask): ToolContext['mode'] {
    const { config } = this.#deps;
    const granted = grantedMode(config, grant, agent);
    if (granted !== undefined) return stricterMode(granted, 'allowlist');
    const { vendor, rule } = grant;
    throw new AgentFailure(
      'policy_denied',
      'rule_gone',
      `The rule ${rule} in webhooks.${vendor}.rules, which let ${agent} work on this text, does not let it any more`,
      { isFinal: true },
    );
  }
}

import type { SecurityMode } from '../../contract/security-mode.ts';
import { AgentFailure } from '../agents/agent-adapter.ts';
import type { SandboxState } from '../processes/sandbox.ts';

/** Throws an `AgentFailure` in a security mode in which the agent cannot run. */
export function requireMode(mode: SecurityMode, agent: string, sandbox: SandboxState): void {
  if (mode === 'deny') throw refused('mode_deny', 'The mode is deny, and no agent promises to run nothing');
  if (!sandbox.isWorking && (mode === 'sandbox' || mode === 'allowlist'))
    throw refused(
      'no_sandbox',
      `The mode is ${mode}, in which ${agent} runs only in a sandbox, and there is none: ${sandbox.reason}. See: svc sandbox explain`,
    );
}

const refused = (code: string, message: string) =>
  new AgentFailure('policy_denied', code, message, { isFinal: true });

import type { SecurityMode } from '../../contract/security-mode.ts';
import type { Policy } from '../../contract/policy.ts';
import { ruleMatches } from '../../contract/tool-rules.ts';
import type { AllowedBy } from '../approvals/approval-store.ts';
import type { Tool, ToolAccess } from './tool.ts';

/** The decision of the mode on a call that passed the guards. */
export type ModeDecision =
  | { kind: 'run' }
  | { kind: 'ask'; reason: string }
  | { kind: 'refuse'; reason: string };

export interface DecidedCall {
  tool: Tool;
  access: ToolAccess;
  /** Why the call deserves attention, although it is part of the work. */
  warning?: string | undefined;
  mode: SecurityMode;
  policy: Policy;
  /** The `allow-always` of a user that covers the call in this conversation or task. */
  allowedBy?: AllowedBy;
  /** False if the work was triggered by untrusted input. */
  isTrusted: boolean;
}

const run: ModeDecision = { kind: 'run' };
const ask = (reason: string): ModeDecision => ({ kind: 'ask', reason });
const refuse = (reason: string): ModeDecision => ({ kind: 'refuse', reason });

/** Whether one of the patterns matches the name: equal, or a prefix followed by a star. */
export const matchesTool = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => ruleMatches(pattern, name));

/** Decides by mode and policy whether a call runs, needs an approval, or is refused. */
export function decideByMode(call: DecidedCall): ModeDecision {
  const { tool, access, warning, mode, policy, allowedBy, isTrusted } = call;
  if (mode === 'deny') return refuse('The mode is deny: no tool may run');
  if (!isTrusted && !tool.isReadOnly && (tool.danger === 'high' || tool.server !== undefined))
    return refuse(`${tool.name} is not available for work that was triggered by untrusted input`);
  const isAllowed = allowedBy !== undefined || matchesTool(policy.allowedTools, tool.name);
  const personReason = access.needsPerson;
  const approval = matchesTool(policy.requireApprovalFor, tool.name)
    ? ask(`The policy requires an approval for ${tool.name}`)
    : undefined;
  switch (mode) {
    case 'sandbox':
      return tool.isReadOnly
        ? (approval ?? run)
        : refuse(`The mode is sandbox: ${tool.name} is not read-only`);
    case 'allowlist':
      if (!isAllowed) return refuse(`The mode is allowlist: ${tool.name} is not on the list`);
      if (personReason !== undefined)
        return refuse(`${personReason}. The mode allowlist never prompts, so the call was refused.`);
      return approval ?? run;
    case 'ask':
      // An agent that runs its calls itself has one `allow-always` for each call, which says enough.
      if (access.external && allowedBy === 'call') return approval ?? run;
      if (personReason !== undefined) return ask(personReason);
      if (warning !== undefined) return ask(warning);
      if (approval) return approval;
      if (isAllowed || (tool.isReadOnly && tool.danger === 'low')) return run;
      return ask(approvalReason(tool));
    case 'full':
      if (personReason === undefined) return run;
      return access.isAskedInFull
        ? ask(personReason)
        : refuse(`${personReason}. The mode full never prompts, so the call was refused.`);
  }
}

/** Why no `allow-always` covers a call, as the end of a sentence; undefined where one can. */
export function whyAlwaysAsked(name: string, access: ToolAccess, policy: Policy): string | undefined {
  if (access.needsPerson !== undefined && !access.external)
    return 'such a command needs an approval each time';
  return matchesTool(policy.requireApprovalFor, name)
    ? 'the policy requires an approval each time'
    : undefined;
}

function approvalReason({ name, server, isReadOnly, danger }: Tool): string {
  if (server !== undefined) return `${name} is a tool of the MCP server ${server}`;
  if (isReadOnly) return `${name} reaches beyond this machine`;
  return danger === 'high' ? `${name} runs a program` : `${name} changes data`;
}

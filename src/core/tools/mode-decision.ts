import type { SecurityMode } from '../../contract/security-mode.ts';
import type { Policy } from '../../contract/policy.ts';
import type { Tool, ToolAccess } from './tool.ts';

/** What the mode says of a call that the guards let pass. */
export type ModeDecision =
  | { kind: 'run' }
  | { kind: 'ask'; reason: string }
  | { kind: 'refuse'; reason: string };

export interface DecidedCall {
  tool: Tool;
  access: ToolAccess;
  mode: SecurityMode;
  policy: Policy;
  /** Whether somebody allowed the tool for good in this conversation or task. */
  isAllowedHere: boolean;
  /** False where a stranger's text set the work going. */
  isTrusted: boolean;
}

const run: ModeDecision = { kind: 'run' };
const ask = (reason: string): ModeDecision => ({ kind: 'ask', reason });
const refuse = (reason: string): ModeDecision => ({ kind: 'refuse', reason });

/** True where one of the patterns is the name, or its beginning before a star. */
export const matchesTool = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );

/** Whether a call runs, has to be asked for, or does not run, by the mode and the policy. */
export function decideByMode(call: DecidedCall): ModeDecision {
  const { tool, access, mode, policy, isAllowedHere, isTrusted } = call;
  if (mode === 'deny') return refuse('The mode is deny: no tool may run');
  if (!isTrusted && !tool.isReadOnly && (tool.danger === 'high' || tool.server !== undefined))
    return refuse(`${tool.name} is not for work that a stranger set going`);
  const isAllowed = isAllowedHere || matchesTool(policy.allowedTools, tool.name);
  const person = access.needsPerson;
  const asked = matchesTool(policy.requireApprovalFor, tool.name)
    ? ask(`The policy wants an approval for ${tool.name}`)
    : undefined;
  switch (mode) {
    case 'sandbox':
      return tool.isReadOnly ? (asked ?? run) : refuse(`The mode is sandbox: ${tool.name} is not read-only`);
    case 'allowlist':
      if (!isAllowed) return refuse(`The mode is allowlist: ${tool.name} is not on the list`);
      if (person !== undefined) return refuse(`${person}. The mode allowlist asks nobody.`);
      return asked ?? run;
    case 'ask':
      if (person !== undefined) return ask(person);
      if (asked) return asked;
      if (isAllowed || (tool.isReadOnly && tool.danger === 'low')) return run;
      return ask(whyAsked(tool));
    case 'full':
      return person === undefined ? run : refuse(`${person}. The mode full asks nobody, so it does not run.`);
  }
}

function whyAsked({ name, server, isReadOnly, danger }: Tool): string {
  if (server !== undefined) return `${name} is a tool of the MCP server ${server}`;
  if (isReadOnly) return `${name} reaches beyond this machine`;
  return danger === 'high' ? `${name} runs a program` : `${name} changes something`;
}

import type { Policy } from '../../../../contract/policy.ts';
import { ruleMatches } from '../../../../contract/tool-rules.ts';

/** The lists of the policy. */
export type RuleListName = 'allowedTools' | 'blockedTools' | 'requireApprovalFor';

/** What a person should know about a rule: that it matches nothing, or that a stronger one wins. */
export function ruleNote(
  list: RuleListName,
  rule: string,
  policy: Policy,
  tools: readonly string[] | undefined,
): string {
  if (list !== 'blockedTools' && policy.blockedTools.includes(rule)) return 'It is also blocked, which wins.';
  if (list === 'allowedTools' && policy.requireApprovalFor.includes(rule))
    return 'It is also always asked, which wins.';
  if (!tools) return '';
  const count = tools.filter((tool) => ruleMatches(rule, tool)).length;
  if (count === 0) return 'No tool has this name now.';
  return rule.endsWith('*') ? `It matches ${count} ${count === 1 ? 'tool' : 'tools'}.` : '';
}

const words: Record<RuleListName, string> = {
  blockedTools: 'blocked',
  requireApprovalFor: 'always asked',
  allowedTools: 'allowed',
};

/** The rules that match a tool, the strongest first. */
export const rulesOf = (tool: string, policy: Policy): string[] =>
  (Object.keys(words) as RuleListName[]).flatMap((list) =>
    policy[list]
      .filter((rule) => ruleMatches(rule, tool))
      .map((rule) => (rule === tool ? words[list] : `${words[list]} by ${rule}`)),
  );

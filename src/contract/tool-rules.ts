/** Whether a rule of the policy, the name of a tool or the beginning of one and a `*`, matches a tool. */
export const ruleMatches = (rule: string, tool: string): boolean =>
  rule.endsWith('*') ? tool.startsWith(rule.slice(0, -1)) : rule === tool;

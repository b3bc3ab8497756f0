import { z } from 'zod';
import type { SecurityMode } from '../../contract/security-mode.ts';
import { vendors } from '../../contract/vendors.ts';
import type { Config } from '../config/config.ts';
import type { SourceRule } from '../config/webhook-settings.ts';

const agentGrantSchema = z.object({
  vendor: z.enum(vendors),
  /** The name of the rule: a repository, project or team, or a pattern of them. */
  rule: z.string(),
  /** The text is that of a ticket, or follows up on a pull request that svc opened. */
  kind: z.enum(['ticket', 'follow_up']),
});

/** The rule by which an administrator lets an agent that runs programs work on the text of others. */
export type AgentGrant = z.output<typeof agentGrantSchema>;

/** The rule to which a task owes its agent; none for tasks of people. */
export const grantOf = ({ agent_rule }: { agent_rule: string | null }): AgentGrant | undefined =>
  agent_rule === null ? undefined : agentGrantSchema.parse(JSON.parse(agent_rule));

/** The mode up to which the agent may work by the rule as it is now; undefined where the rule no longer lets it. */
export function grantedMode(
  config: Pick<Config, 'get'>,
  { vendor, rule: name, kind }: AgentGrant,
  agent: string | null,
): SecurityMode | undefined {
  const rules: Record<string, SourceRule> = config.get(`webhooks.${vendor}.rules`);
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (!rule || rule.enabled === false) return undefined;
  if (kind === 'follow_up') return rule.followUps ? 'allowlist' : undefined;
  return rule.agent === agent ? rule.mode : undefined;
}

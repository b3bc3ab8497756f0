import { type Vendor, vendors } from '../../../contract/vendors.ts';
import type { AgentRegistry } from '../../agents/agent-registry.ts';
import type { Config } from '../../config/config.ts';
import type { SourceRule } from '../../config/webhook-settings.ts';

type KnownAgents = Pick<AgentRegistry, 'needsCommandRights' | 'isProgram'>;

/**
 * Lets a rule of a source name an agent that runs programs only together with a repository and a mode in which it runs in
 * the sandbox and asks nobody: what it would be given is text of others. No rule names an agent that runs a prompt as it is.
 */
export function checkAgentRules({ config, registry }: { config: Config; registry: KnownAgents }): void {
  for (const vendor of vendors)
    config.setRule(`webhooks.${vendor}.rules`, (rules) => {
      for (const [name, rule] of Object.entries(rules)) {
        const problem = problemOf(registry, { vendor, name, rule });
        if (problem !== undefined) return `${name}.${problem}`;
      }
      return undefined;
    });
}

interface NamedRule {
  vendor: Vendor;
  name: string;
  rule: SourceRule;
}

function problemOf(registry: KnownAgents, named: NamedRule): string | undefined {
  const { agent, mode, cwd } = named.rule;
  if (agent === undefined || !registry.needsCommandRights(agent))
    return cwd === undefined ? undefined : 'cwd: Only an agent that runs programs gets a checkout. Name one';
  const refused = `agent: The agent "${agent}" takes no work of others`;
  if (!registry.isProgram(agent)) return `${refused}: it runs programs`;
  const repository = repositoryOf(named);
  const missing = [
    ...(repository === undefined ? [missingRepository[named.vendor]] : []),
    ...(mode === undefined ? ['set "mode" to "sandbox" or "allowlist"'] : []),
  ];
  if (missing.length > 0) return `${refused} unless the rule limits it: ${missing.join(', and ')}`;
  if (cwd !== undefined && repository?.includes('*'))
    return 'cwd: A checkout is that of one repository. Name the repository without *';
  return undefined;
}

const missingRepository: Record<Vendor, string> = {
  github: 'name the repository, or those of one owner, such as "octo/web" or "octo/*"',
  jira: 'set "repository", such as "octo/web"',
  linear: 'set "repository", such as "octo/web"',
};

/** The repository, or those of one owner, about which a rule is; undefined for one about those of anybody. */
function repositoryOf({ vendor, name, rule }: NamedRule): string | undefined {
  if (vendor !== 'github') return rule.repository;
  return /^[\w.-]+\/[\w.*-]+$/.test(name) ? name : undefined;
}

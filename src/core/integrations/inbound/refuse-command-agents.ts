import { vendors } from '../../../contract/vendors.ts';
import type { AgentRegistry } from '../../agents/agent-registry.ts';
import type { Config } from '../../config/config.ts';

/** Lets no rule of a source name an agent that runs programs: what it would be given is untrusted text. */
export function refuseCommandAgents(deps: {
  config: Config;
  registry: Pick<AgentRegistry, 'needsCommandRights'>;
}): void {
  const { config, registry } = deps;
  for (const provider of vendors)
    config.setRule(`webhooks.${provider}.rules`, (rules) => {
      for (const [name, { agent }] of Object.entries(rules))
        if (agent !== undefined && registry.needsCommandRights(agent))
          return `${name}.agent: The agent "${agent}" takes no work of others: it runs programs`;
      return undefined;
    });
}

import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Requirements } from '../placement.ts';
import type { WakeUpRoutes } from '../queue/wake-up-routes.ts';
import type { Membership } from './membership.ts';

export interface ClusterRoutesDeps {
  daemon: Pick<DaemonIdentity, 'labels' | 'hasLabel'>;
  membership: Pick<Membership, 'others' | 'ownAgents'>;
}

/**
 * A queue for each label, and for each agent that not all daemons have. Work that needs several travels through one of
 * them; a daemon that lacks another passes it on to the queue of that one.
 */
export class ClusterRoutes implements WakeUpRoutes {
  readonly #deps: ClusterRoutesDeps;
  constructor(deps: ClusterRoutesDeps) {
    this.#deps = deps;
  }

  of({ agent, needs }: Requirements, isLeft = false): string {
    const { daemon } = this.#deps;
    const labels = isLeft ? needs.filter((label) => !daemon.hasLabel(label)) : needs;
    // Few daemons have the label of a host.
    const label = labels.find((each) => each.startsWith('host:')) ?? labels[0];
    if (label !== undefined) return label;
    return agent !== '' && this.#isRare(agent) ? agentRoute(agent) : '';
  }

  own(): string[] {
    const { daemon, membership } = this.#deps;
    const rare = membership.ownAgents.filter((agent) => this.#isRare(agent));
    return [...daemon.labels, ...rare.map(agentRoute)];
  }

  /** Whether a daemon that runs tasks lacks the agent, and one has it. */
  #isRare(agent: string): boolean {
    const { others, ownAgents } = this.#deps.membership;
    // One without agents runs no tasks.
    const isHere = ownAgents.includes(agent);
    const elsewhere = others.filter((daemon) => daemon.hasAgent(agent)).length;
    const isMissing = elsewhere < others.length || (ownAgents.length > 0 && !isHere);
    return isMissing && (isHere || elsewhere > 0);
  }
}

const agentRoute = (agent: string) => `agent:${agent}`;

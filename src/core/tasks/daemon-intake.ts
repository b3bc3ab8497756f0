import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Membership } from '../cluster/membership.ts';
import type { Intake } from '../queue/intake.ts';

export interface DaemonIntakeDeps {
  registry: Pick<AgentRegistry, 'isReady'>;
  membership: Pick<Membership, 'hasElsewhere'>;
}

/** Takes tasks of the agents of this daemon, and leaves the others to the daemons that have their agents. */
export class DaemonIntake implements Intake {
  /** False while the daemon drains. */
  isOpen = true;
  readonly #deps: DaemonIntakeDeps;
  constructor(deps: DaemonIntakeDeps) {
    this.#deps = deps;
  }

  runs(agent: string): boolean {
    const { registry, membership } = this.#deps;
    return agent === '' || registry.isReady(agent) || !membership.hasElsewhere(agent);
  }
}

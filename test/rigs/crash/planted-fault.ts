import type { AgentKind } from './agent-plans.ts';
import type { KillPoint } from './kill-points.ts';

export interface PlantedFault {
  /** What is broken, as one would say it of the product. */
  what: string;
  /** Where kills show it best; anywhere unless given. */
  points?: readonly KillPoint[];
  /** The load that shows it; those of tasks and agents in turn unless given. */
  load?: 'tasks' | 'agents' | 'outside';
  /** The kinds of work of models that show it; all unless given. */
  kinds?: readonly AgentKind[];
  plant(): Promise<void>;
}

import type { AgentRegistry, Assignment, Choice } from '../agents/agent-registry.ts';
import type { KnownDaemon } from '../cluster/membership.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { type Ability, canRun, hostLabel, needsOf, type Requirements } from '../placement.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { NewEvent } from './new-event.ts';

export interface TaskPlacementDeps {
  registry: Pick<AgentRegistry, 'choose' | 'isReady'>;
  daemon: Pick<DaemonIdentity, 'hasLabel'>;
  /** The other daemons of the cluster; undefined where there are none. */
  membership?: { readonly others: readonly KnownDaemon[] } | undefined;
}

/** The columns of a task that decide where it runs. */
export type PlacedTask = Assignment & Pick<TaskHead, 'needs' | 'home'>;
/** What keeps a task from running on any daemon. */
export type Missing = Extract<Choice, { missing: string }> & {
  /** True where it is a label, not an agent. */
  needsLabels?: boolean;
};

/** The event that says why a task waits; a client can tell whether that is an agent or a daemon. */
export const waitEvent = ({ missing, needsLabels }: Missing): NewEvent => ({
  type: 'waiting_for_agent',
  message: missing,
  ...(needsLabels && { data: { waitsFor: 'daemon' } }),
});

/** Tells which daemon can run a task, and why none can. */
export class TaskPlacement {
  readonly #deps: TaskPlacementDeps;
  readonly #self: Ability;
  constructor(deps: TaskPlacementDeps) {
    this.#deps = deps;
    this.#self = {
      hasAgent: (type) => deps.registry.isReady(type),
      hasLabel: (label) => deps.daemon.hasLabel(label),
    };
  }

  /** Whether this daemon can run it. */
  isHere(work: Requirements): boolean {
    return canRun(this.#self, work);
  }

  /** Whether a daemon of the host runs tasks. */
  hasHost(host: string): boolean {
    const label = hostLabel(host);
    return [this.#self, ...this.#others].some((daemon) => daemon.hasLabel(label));
  }

  /** Whether this daemon has the labels that a task asks for, whatever its agent. */
  hasLabelsOf(task: Pick<TaskHead, 'needs' | 'home'>): boolean {
    return canRun(this.#self, { agent: '', needs: needsOf(task) });
  }

  /** Whether another daemon could run it a moment ago. */
  isElsewhere(work: Requirements): boolean {
    return this.#others.some((daemon) => canRun(daemon, work));
  }

  /** Whether a task that cannot run here can run on another daemon. */
  isTaskElsewhere(task: PlacedTask, choice: Choice): boolean {
    const agent = 'adapter' in choice ? choice.adapter.type : choice.agent;
    return agent !== undefined && this.isElsewhere({ agent, needs: needsOf(task) });
  }

  /** Why no daemon can run the task now; undefined where one can. */
  missing(task: PlacedTask): Missing | undefined {
    const choice = this.#deps.registry.choose(task);
    const isHere = 'adapter' in choice && this.hasLabelsOf(task);
    if (isHere || this.isTaskElsewhere(task, choice)) return undefined;
    if ('missing' in choice && (choice.agent === undefined || !this.#has(choice.agent))) return choice;
    return { missing: this.#missingLabels(task, choice), needsLabels: true };
  }

  #has(agent: string): boolean {
    return this.#others.some((daemon) => daemon.hasAgent(agent));
  }

  #missingLabels(task: PlacedTask, choice: Choice): string {
    const { home } = task;
    const daemons = [this.#self, ...this.#others];
    if (home !== null && !this.hasHost(home))
      return `No daemon runs on the host ${home}, where the directory of the task is.`;
    const needs = needsOf(task);
    const unknown = needs.filter((label) => !daemons.some((daemon) => daemon.hasLabel(label)));
    if (unknown.length > 0)
      return `No daemon has ${unknown.length === 1 ? 'the label' : 'the labels'} ${unknown.join(', ')}.`;
    const agent = 'adapter' in choice ? choice.adapter.type : (choice.agent ?? '');
    return `No daemon has both the agent "${agent}" and ${needs.length === 1 ? 'the label' : 'the labels'} ${needs.join(', ')}.`;
  }

  get #others(): readonly KnownDaemon[] {
    return this.#deps.membership?.others ?? [];
  }
}

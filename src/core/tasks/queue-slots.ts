import type { Config } from '../config/config.ts';
import type { QueuedWork, QueueLimits } from '../queue/task-queue.ts';
import type { QueueUsers } from './queue-users.ts';

/** Agents that mostly wait for others, so that many of them fit on a machine. */
const ioBound = ['builtin', 'http'];
const IO_BOUND_SLOTS = { pro: 32, mini: 32, pico: 8 };
/** The pool of agents that have no slots of their own. */
export const SHARED_POOL = 'tasks';
const INTERACTIVE = 'interactive';
const SUSPECTS = 'suspects';
/** One in five slots is kept for users of whom nothing runs. */
const RESERVED_SHARE = 5;

export interface QueueSlotsDeps {
  config: Config;
  users: Pick<QueueUsers, 'areSeveral' | 'weightOf'>;
}

/** How many tasks run at the same time, by the settings. */
export class QueueSlots implements QueueLimits {
  /** Suspects that have run for a while without an end of the daemon. */
  provenSuspects = 0;
  readonly #deps: QueueSlotsDeps;
  constructor(deps: QueueSlotsDeps) {
    this.#deps = deps;
  }

  readonly poolOf = ({ lane, agent }: QueuedWork): string => {
    if (lane === 'interactive') return INTERACTIVE;
    if (lane === 'suspect') return SUSPECTS;
    return this.#ownSlots()[agent] === undefined ? SHARED_POOL : `agent:${agent}`;
  };

  readonly slots = (pool: string): number => {
    const { config } = this.#deps;
    if (pool === INTERACTIVE) return config.get('queue.interactiveConcurrency');
    if (pool === SUSPECTS) return 1 + this.provenSuspects;
    return this.#ownSlots()[pool.slice('agent:'.length)] ?? config.get('queue.concurrency');
  };

  /** One user alone may use all slots; with others about, a few are kept for those of whom nothing runs. */
  readonly reserved = (pool: string): number => {
    if (pool === SUSPECTS) return 0;
    const slots = this.slots(pool);
    return this.#deps.users.areSeveral && slots > 1 ? Math.ceil(slots / RESERVED_SHARE) : 0;
  };

  readonly weight = (owner: string): number => this.#deps.users.weightOf(owner);
  readonly perOwner = (): number =>
    this.#deps.config.get('queue.maxConcurrentPerUser') ?? Number.POSITIVE_INFINITY;
  readonly perOwnerAndAgent = (): number =>
    this.#deps.config.get('queue.maxConcurrentPerUserAndAgent') ?? Number.POSITIVE_INFINITY;
  readonly agingMs = (): number => this.#deps.config.get('queue.agingMs');

  /** How many tasks run at the same time in all pools that there always are. */
  total(): number {
    return this.names().reduce((sum, name) => sum + this.slots(name), 0);
  }

  /** The pools that there are whether or not anything waits in them. */
  names(): string[] {
    return [SHARED_POOL, INTERACTIVE, ...Object.keys(this.#ownSlots()).map((agent) => `agent:${agent}`)];
  }

  /** By agent; a concurrency from the settings holds for all agents that are not named. */
  #ownSlots(): Record<string, number> {
    const { config } = this.#deps;
    const named = config.get('queue.concurrencyPerAgent');
    if (named) return named;
    if (config.originOf('queue.concurrency') !== 'default') return {};
    const slots = IO_BOUND_SLOTS[config.get('mode')];
    return Object.fromEntries(ioBound.map((agent) => [agent, slots]));
  }
}

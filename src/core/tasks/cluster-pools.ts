import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Membership } from '../cluster/membership.ts';
import type { PoolStatus } from '../queue/task-queue.ts';
import type { Database } from '../storage/database.ts';
import type { QueueSlots } from './queue-slots.ts';
import { anywhere, queuedWorkOf, type QueuedTask } from './queued-work.ts';

/** Groups of tasks that share owner, agent and priority; more than that in a queue are not told apart. */
const MAX_GROUPS = 10_000;

/** The slots of all daemons together. */
export interface PoolSlots {
  /** How many daemons run tasks. */
  workers: number;
  names: string[];
  of: (pool: string) => number;
}

export interface ClusterPoolsDeps {
  database: Database;
  registry: Pick<AgentRegistry, 'choose'>;
  slots: Pick<QueueSlots, 'poolOf' | 'slots' | 'names'>;
  membership: Pick<Membership, 'list'>;
  now: () => Date;
}

/** The pools of all daemons of a cluster, by the rows. */
export class ClusterPools {
  readonly #deps: ClusterPoolsDeps;
  constructor(deps: ClusterPoolsDeps) {
    this.#deps = deps;
  }

  /** The slots of the daemons that run tasks, by pool; of at least one daemon. */
  async slots(): Promise<PoolSlots> {
    const { slots, membership } = this.#deps;
    const workers = (await membership.list()).filter(({ role }) => role !== 'api');
    const own = workers.map(({ pools }) => JSON.parse(pools ?? '{}') as Partial<Record<string, number>>);
    // A daemon of the release before does not say them; that of suspects is nowhere.
    const of = (name: string) =>
      own.reduce((sum, pools) => sum + (pools[name] ?? slots.slots(name)), 0) || slots.slots(name);
    return {
      workers: Math.max(1, workers.length),
      names: [...new Set([...slots.names(), ...own.flatMap(Object.keys)])],
      of,
    };
  }

  async read(): Promise<PoolStatus[]> {
    const slots = await this.slots();
    const pools = new Map<string, PoolStatus & { owners: Set<string> }>();
    const poolOf = (name: string) => {
      const known = pools.get(name) ?? {
        name,
        slots: slots.of(name),
        running: 0,
        waiting: 0,
        users: 0,
        levels: [],
        owners: new Set<string>(),
      };
      pools.set(name, known);
      return known;
    };
    for (const name of slots.names) poolOf(name);
    for (const { n, status, ...task } of await this.#groups()) {
      const pool = poolOf(this.#nameOf(task));
      if (status === 'in_progress') {
        pool.running += n;
        continue;
      }
      pool.waiting += n;
      pool.owners.add(task.owner_id);
      const level = pool.levels.find(({ priority }) => priority === task.priority);
      if (level) level.waiting += n;
      else pool.levels.push({ priority: task.priority, waiting: n });
    }
    return [...pools.values()]
      .map(({ owners, ...pool }) => ({ ...pool, users: owners.size }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #nameOf(task: Omit<QueuedTask, 'needs' | 'home'>): string {
    return this.#deps.slots.poolOf(queuedWorkOf({ ...task, ...anywhere }, this.#deps.registry));
  }

  async #groups() {
    const { database, now } = this.#deps;
    const columns = [...grouped] as const;
    const due = now().toISOString();
    const of = (status: 'queued' | 'in_progress') =>
      database.read
        .selectFrom('tasks')
        .select(({ fn }) => ['status', ...columns, 'agent_type', fn.countAll<number>().as('n')])
        .where('status', '=', status)
        .where((is) => is.or([is('scheduled_for', 'is', null), is('scheduled_for', '<=', due)]))
        .groupBy(['status', ...columns, 'agent_type'])
        .limit(MAX_GROUPS)
        .execute();
    const [queued, running] = [await of('queued'), await of('in_progress')];
    return [
      ...queued,
      ...running.map((task) => ({ ...task, assigned_agent: task.agent_type ?? task.assigned_agent })),
    ];
  }
}

const grouped = [
  'priority',
  'owner_id',
  'assigned_agent',
  'labels',
  'may_command',
  'agent_rule',
  'best_of',
  'interactive',
  'suspect',
] as const;

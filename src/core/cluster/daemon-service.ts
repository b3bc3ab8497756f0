import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { ClusterDaemon, ClusterReport, DrainBody } from '../../contract/cluster.ts';
import type { Caller } from '../auth/caller.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { AppError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import type { DaemonRow } from '../storage/rows/daemons.ts';
import { version } from '../version.ts';
import { type Abilities, type DrainOrder, drainOrderOf, type Membership } from './membership.ts';

export interface DaemonServiceDeps {
  database: Pick<Database, 'read'>;
  daemon: DaemonIdentity;
  membership: Membership | undefined;
  /** What this daemon can do. */
  abilities: () => Abilities;
  runtime: Pick<Runtime, 'now'>;
}

/** Shows the daemons of the cluster, and takes them out of service and back. */
export class DaemonService {
  readonly #deps: DaemonServiceDeps;
  readonly #startedAt: string;
  constructor(deps: DaemonServiceDeps) {
    this.#deps = deps;
    this.#startedAt = deps.runtime.now().toISOString();
  }

  /** All daemons by host, with those that are silent. */
  async report(): Promise<ClusterReport> {
    const { daemon, membership } = this.#deps;
    const running = await this.#runningByDaemon();
    const rows = membership ? await membership.list(undefined, { includesSilent: true }) : [this.#self()];
    const silentBefore = membership?.silentBefore() ?? '';
    const daemons = rows.map((row) => describe(row, { running: running.get(row.id) ?? 0, silentBefore }));
    return { mode: membership ? 'pro' : 'mini', answeredBy: daemon.id, daemons };
  }

  /** Makes a daemon take no more tasks; runs that are under way when the time is up are queued again. */
  async drain(id: string, { timeoutSeconds, stop }: DrainBody, caller: Caller): Promise<ClusterDaemon> {
    const { runtime } = this.#deps;
    const order: DrainOrder = { stop };
    if (timeoutSeconds !== undefined)
      order.until = new Date(runtime.now().getTime() + timeoutSeconds * 1000).toISOString();
    return this.#order(id, order, caller);
  }

  /** Makes a daemon take tasks again. */
  resume(id: string, caller: Caller): Promise<ClusterDaemon> {
    return this.#order(id, undefined, caller);
  }

  async #order(id: string, order: DrainOrder | undefined, { auditEntry }: Caller): Promise<ClusterDaemon> {
    const { membership } = this.#deps;
    if (!membership)
      throw new AppError(
        'wrong_state',
        'This daemon is alone: there is no other that could take its tasks. Pause the queue: svc queue pause',
      );
    const before = (await this.report()).daemons.find((each) => each.id === id);
    if (before?.state === 'silent')
      throw new AppError('wrong_state', `The daemon ${id} does not respond since ${before.lastSeenAt}.`);
    const isThere = before !== undefined && (await membership.order(id, order, auditEntry));
    if (!isThere) throw new AppError('not_found', `There is no daemon ${id}. List them: svc cluster ls`);
    return { ...before, drained: false, state: order ? 'draining' : 'ready' };
  }

  /** How many tasks each daemon runs, as their rows say it. */
  async #runningByDaemon(): Promise<Map<string, number>> {
    const { database, daemon, membership } = this.#deps;
    const rows = await database.read
      .selectFrom('tasks')
      .select((is) => ['lease_owner', is.fn.countAll<number>().as('running')])
      // In the text of the query: PostgreSQL has an index per state.
      .where('status', '=', sql.lit('in_progress'))
      .groupBy('lease_owner')
      .execute();
    const counts = new Map<string, number>();
    for (const { lease_owner, running } of rows) {
      const id = membership ? (lease_owner ?? '').split('/', 1).join('') : daemon.id;
      counts.set(id, (counts.get(id) ?? 0) + running);
    }
    return counts;
  }

  /** A daemon that has its database for itself has no row. */
  #self(): DaemonRow {
    const { daemon, abilities, runtime } = this.#deps;
    const { agents, slots, pools } = abilities();
    return {
      id: daemon.id,
      name: null,
      host: hostname(),
      version,
      role: 'all',
      labels: '[]',
      agents: JSON.stringify(agents),
      slots,
      pools: JSON.stringify(pools),
      drain: null,
      started_at: this.#startedAt,
      seen_at: runtime.now().toISOString(),
    };
  }
}

const describe = (
  row: DaemonRow,
  { running, silentBefore }: { running: number; silentBefore: string },
): ClusterDaemon => ({
  id: row.id,
  name: row.name ?? row.host,
  host: row.host,
  version: row.version,
  role: row.role === 'api' || row.role === 'worker' ? row.role : 'all',
  labels: JSON.parse(row.labels) as string[],
  agents: JSON.parse(row.agents) as string[],
  startedAt: row.started_at,
  lastSeenAt: row.seen_at,
  running,
  slots: row.slots,
  drained: drainOrderOf(row)?.done ?? false,
  state: row.seen_at < silentBefore ? 'silent' : row.drain === null ? 'ready' : 'draining',
});

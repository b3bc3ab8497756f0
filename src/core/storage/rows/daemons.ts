/** A daemon of a cluster. */
export interface DaemonRow {
  id: string;
  /** Null where an older daemon wrote the row: then it is that of the host. */
  name: string | null;
  /** The machine whose files it sees. */
  host: string;
  version: string;
  role: string;
  /** JSON list. */
  labels: string;
  /** The types of its agents, as a JSON list. */
  agents: string;
  /** How many tasks it runs at the same time. */
  slots: number;
  /** The same by pool, as JSON; null where an older daemon wrote the row. */
  pools: string | null;
  /** What an administrator ordered while it is to take no more tasks, as JSON. */
  drain: string | null;
  started_at: string;
  /** When it last said that it runs. */
  seen_at: string;
}

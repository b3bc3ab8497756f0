import pg from 'pg';
import type { Acknowledged } from './load.ts';

export interface ClusterEvidence {
  databaseUrl: string;
  acknowledged: Acknowledged;
  /** How often the command of each task ran. */
  ran: ReadonlyMap<string, number>;
}

export interface ClusterFindings {
  tasks: number;
  /** Tasks that were run again, because their daemon died. */
  runAgain: number;
  violations: string[];
}

interface Row {
  id: string;
  status: string;
  idempotency_key: string | null;
  started: number;
  ended: number;
  events: number;
  last_event: number;
  event_seq: number;
}

/** What the rows say after all faults: nothing lost, nothing twice, no gap, counters that equal the rows. */
export async function checkCluster({
  databaseUrl,
  acknowledged,
  ran,
}: ClusterEvidence): Promise<ClusterFindings> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<Row>(`select id, status, idempotency_key, event_seq::int,
        count(*) filter (where type = 'started')::int as started,
        count(*) filter (where type in ('completed', 'failed', 'cancelled'))::int as ended,
        count(*)::int as events, max(e.seq)::int as last_event
      from tasks join task_events e on e.task_seq = tasks.seq group by tasks.seq`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const violations: string[] = [];
    for (const [key, id] of acknowledged)
      if (!byId.has(id)) violations.push(`lost: task ${id} of key ${key}`);
    for (const row of rows) violations.push(...faultsOf(row, ran.get(row.id) ?? 0));
    for (const [key, same] of Map.groupBy(rows, ({ idempotency_key }) => idempotency_key))
      if (key !== null && same.length > 1)
        violations.push(`stored twice: ${same.map(({ id }) => id).join(', ')}`);
    const counters = await client.query<{ status: string; counted: number; stored: number }>(`
      select status, sum(n)::int as counted, (select count(*) from tasks where tasks.status = task_counts.status)::int as stored
      from task_counts group by status`);
    for (const { status, counted, stored } of counters.rows)
      if (counted !== stored) violations.push(`counters: ${counted} ${status}, and ${stored} rows`);
    return { tasks: rows.length, runAgain: rows.filter(({ started }) => started > 1).length, violations };
  } finally {
    await client.end();
  }
}

function faultsOf(row: Row, ran: number): string[] {
  const { id, status, started, ended, events, last_event, event_seq } = row;
  return [
    status !== 'completed' && `not completed: ${id} is ${status}`,
    ended !== 1 && `ended ${ended} times: ${id}`,
    (events !== last_event || events !== event_seq) && `gap in the events of ${id}`,
    ran === 0 && `completed and never run: ${id}`,
    ran > started && `run ${ran} times with ${started} claims: ${id}`,
  ].filter((fault) => fault !== false);
}

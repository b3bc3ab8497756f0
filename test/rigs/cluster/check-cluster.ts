import type { ClusterWorld } from './cluster-world.ts';
import type { ClientLedger } from './load.ts';

export interface ClusterFindings {
  tasks: number;
  /** Tasks that were run again, because their daemon died. */
  runAgain: number;
  /** Tasks that seemed to have killed a daemon twice: they were the only suspects when it was killed. */
  poison: number;
  occurrences: number;
  deliveries: number;
  /** Deliveries that came more than once, under the same id. */
  deliveredAgain: number;
  violations: string[];
}

interface TaskFacts {
  id: string;
  title: string;
  status: string;
  code: string | null;
  idempotency_key: string | null;
  started: number;
  ended: number;
  events: number;
  last_event: number;
  event_seq: number;
}

/** What the rows say after all faults: nothing lost, nothing twice, no gap, counters that equal the rows. */
export async function checkCluster(world: ClusterWorld, ledger: ClientLedger): Promise<ClusterFindings> {
  await using client = await world.connect();
  const { rows } = await client.query<TaskFacts>(`select id, title, status, idempotency_key, event_seq::int,
      max(case when type = 'failed' then data::jsonb ->> 'code' end) as code,
      count(*) filter (where type = 'started')::int as started,
      count(*) filter (where type in ('completed', 'failed', 'cancelled'))::int as ended,
      count(*)::int as events, max(e.seq)::int as last_event
    from tasks join task_events e on e.task_seq = tasks.seq group by tasks.seq`);
  const ran = world.ranTimes();
  const byId = new Set(rows.map(({ id }) => id));
  const violations = [...world.receiver.faults];
  for (const [key, id] of ledger.acknowledged)
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

  const schedules = await client.query<{ stored: number }>(`
    select (run_count - (select count(*) from tasks where source = 'cron' and source_id = schedules.id))::int as stored
    from schedules`);
  for (const { stored } of schedules.rows)
    if (stored !== 0) violations.push(`schedule: ${stored} occurrences have no task, or too many`);

  // The receiver knows all of them: the log of deliveries keeps the last ones only.
  const seen = [...world.receiver.seen.values()];
  const told = Map.groupBy(seen, ({ taskId }) => taskId);
  for (const { id, status } of rows) {
    const events = told.get(id)?.map(({ event }) => event) ?? [];
    if (events.length !== 1 || events[0] !== `task.${status}`)
      violations.push(`webhook: it was told [${events.join()}] of ${id}, which is ${status}`);
  }

  return {
    tasks: rows.length,
    runAgain: rows.filter(({ started }) => started > 1).length,
    poison: rows.filter(isPoison).length,
    occurrences: rows.filter(({ title }) => title === 'Every five seconds').length,
    deliveries: seen.length,
    deliveredAgain: seen.filter(({ requests }) => requests > 1).length,
    violations,
  };
}

const isPoison = ({ code, started }: TaskFacts) => code === 'poison' && started >= 2;

/** Whether the schedule accounts for each of its times, while it continues. */
export async function checkTimes(world: ClusterWorld): Promise<string[]> {
  await using client = await world.connect();
  const { rows } = await client.query<{ counted: number; slots: number }>(`
    select (run_count + skipped_count + misfire_count)::int as counted,
      (floor(extract(epoch from next_run_at::timestamptz) / 5) - floor(extract(epoch from created_at::timestamptz) / 5))::int - 1 as slots
    from schedules`);
  return rows
    .filter(({ counted, slots }) => counted !== slots)
    .map(({ counted, slots }) => `schedule: ${slots} times were due, and ${counted} are accounted for`);
}

function faultsOf(row: TaskFacts, ran: number): string[] {
  const { id, title, status, started, ended, events, last_event, event_seq } = row;
  const isProbe = title.startsWith('probe-');
  return [
    status !== (isProbe ? 'cancelled' : 'completed') && !isPoison(row) && `not finished: ${id} is ${status}`,
    ended !== 1 && `ended ${ended} times: ${id}`,
    (events !== last_event || events !== event_seq) && `gap in the events of ${id}`,
    !isProbe && status === 'completed' && ran === 0 && `completed and never run: ${id}`,
    ran > started && `run ${ran} times with ${started} claims: ${id}`,
  ].filter((fault) => fault !== false);
}

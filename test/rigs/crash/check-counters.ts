import type { Client } from '../../../src/contract/client.ts';
import type { Rows } from './rows.ts';

const statuses = ['pending', 'queued', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
type Counts = Record<string, number>;

/** I12: every number that the daemon shows is the number of rows. */
export async function checkCounters(client: Client, rows: Rows): Promise<string[]> {
  const faults: string[] = [];
  const compare = (name: string, shown: Counts, counted: Counts) => {
    for (const key of new Set([...Object.keys(shown), ...Object.keys(counted)]))
      if ((shown[key] ?? 0) !== (counted[key] ?? 0))
        faults.push(`I12: ${name} shows ${shown[key] ?? 0} ${key}, there are ${counted[key] ?? 0}`);
  };
  const byStatus = rows.countBy('status');
  const total = Object.values(byStatus).reduce((sum, n) => sum + n, 0);

  const { queues, deadLetterQueue } = await client.queue.getStatus();
  const { inProgress, ...counts } = queues.tasks;
  const { cancelled: _, ...inQueue } = byStatus;
  compare('the queue', { ...counts, in_progress: inProgress }, inQueue);
  const letters = rows.deadLetters();
  const allLetters = Object.values(letters).reduce((sum, n) => sum + n, 0);
  compare('the dead-letter queue', deadLetterQueue, { ...letters, total: allLetters });

  for (const status of statuses) {
    const list = await client.tasks.list({ query: { status, limit: 1 } });
    compare('the list', { [status]: list.total }, { [status]: byStatus[status] ?? 0 });
  }
  const analytics = await client.tasks.getAnalytics();
  compare('analytics', { tasks: analytics.total }, { tasks: total });
  compare('analytics by status', analytics.byStatus, byStatus);
  compare('analytics by priority', analytics.byPriority, rows.countBy('priority'));
  compare('analytics by source', analytics.bySource, rows.countBy('source'));
  const byAgent = Object.fromEntries(
    Object.entries(analytics.byAgent).map(([agent, { count }]) => [agent, count]),
  );
  compare('analytics by agent', byAgent, rows.countBy('agent_type'));
  return faults;
}

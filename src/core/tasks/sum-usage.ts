import type { TaskAnalytics } from '../../contract/tasks.ts';
import type { TaskUsageRow } from './finished-task-store.ts';

type Used = TaskAnalytics['usage']['byAgent'][number];

/** What models used by day, by agent and by model, the most expensive first. */
export function sumUsage(rows: readonly TaskUsageRow[]) {
  const used = rows.filter(({ tokens, cost }) => (tokens ?? 0) > 0 || Number(cost ?? 0) > 0);
  return {
    byDay: sumBy(used, ({ day }) => day),
    byAgent: sorted(sumBy(used, ({ agent }) => agent ?? '')),
    byModel: sorted(sumBy(used, ({ model }) => model ?? '')),
  };
}

function sumBy(rows: readonly TaskUsageRow[], nameOf: (row: TaskUsageRow) => string): Map<string, Used> {
  const sums = new Map<string, Used>();
  for (const row of rows) {
    const name = nameOf(row);
    const sum = sums.get(name) ?? { name, tasks: 0, tokens: 0, costUsd: 0 };
    sums.set(name, {
      name,
      tasks: sum.tasks + 1,
      tokens: sum.tokens + (row.tokens ?? 0),
      costUsd: sum.costUsd + Number(row.cost ?? 0),
    });
  }
  return sums;
}

const sorted = (sums: Map<string, Used>): Used[] =>
  [...sums.values()].toSorted((a, b) => b.costUsd - a.costUsd || b.tokens - a.tokens);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { startServer } from './child.ts';
import { type Figure, median } from './report.ts';

const RUNS = 5;
const SECONDS = 3;
const TASKS = 50;

/** What the check of a session costs, as a share of GET /api/tasks with a page of 50. */
export async function sessionCheck(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const daemon = await startServer('daemon', { SVC_HOME: home });
  for (let task = 0; task < TASKS; task++)
    await fetch(`${daemon.url}/api/tasks`, {
      method: 'POST',
      headers: { ...daemon.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Task ${task}` }),
    });
  const rows: { perRequest: number; recalled: number; looked: number }[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const result = await autocannon({
      url: `${daemon.url}/api/tasks`,
      connections: 50,
      duration: SECONDS,
      method: 'GET',
      headers: daemon.headers,
    });
    if (result.non2xx > 0 || result.errors > 0) throw new Error('requests failed');
    const checks = (await daemon.ask('session-checks')) as { recalled: number; looked: number };
    // The first round only warms up.
    if (run > 0) rows.push({ perRequest: 1e6 / (result.requests.total / result.duration), ...checks });
  }
  await daemon.stop();
  rmSync(home, { recursive: true });
  const figure = (name: string, key: 'recalled' | 'looked', bound: number): Figure => ({
    name,
    ours: `${median(rows.map((row) => row[key])).toFixed(1)} µs`,
    baseline: `GET /api/tasks ${median(rows.map((row) => row.perRequest)).toFixed(0)} µs`,
    value: median(rows.map((row) => row[key] / row.perRequest)),
    bound: { most: bound },
  });
  return [
    figure('session check, as in a run of requests', 'recalled', 0.1),
    figure('session check, from the database', 'looked', 0.1),
  ];
}

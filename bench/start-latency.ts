import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServer } from './child.ts';
import { MeasuredCluster } from './measured-cluster.ts';
import { type Figure, median, percentile } from './report.ts';

const PER_SECOND = 100;
const SECONDS = 10;
const RUNS = 5;

/** From the moment of the 201 to the start of the agent, at a steady 100 tasks per second. */
export async function startLatency(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const figures = await measure({ SVC_HOME: home }, 'one daemon');
  rmSync(home, { recursive: true });
  return figures;
}

/** The same in mode pro, with another daemon in the cluster. */
export async function clusterStartLatency(): Promise<Figure[]> {
  await using cluster = await MeasuredCluster.start();
  const { url } = await cluster.postgres.newDatabase();
  const other = await startServer('daemon', { ...cluster.environment(url), SVC_DAEMON_ROLE: 'api' });
  const figures = await measure(cluster.environment(url), 'mode pro');
  await other.stop();
  return figures;
}

async function measure(environment: Record<string, string>, mode: string): Promise<Figure[]> {
  const daemon = await startServer('daemon', environment);
  const p50: number[] = [];
  const p99: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const answered = new Map<string, number>();
    const posts: Promise<void>[] = [];
    const began = performance.now();
    for (let n = 0; n < PER_SECOND * SECONDS; n++) {
      const due = began + (n * 1000) / PER_SECOND;
      if (due > performance.now()) await delay(due - performance.now());
      posts.push(post(daemon.url, daemon.headers, answered));
    }
    await Promise.all(posts);
    await delay(500);
    const starts = new Map((await daemon.ask('starts')) as [string, number][]);
    const waits = [...answered].map(([id, at]) => (starts.get(id) ?? Number.POSITIVE_INFINITY) - at);
    p50.push(Math.max(0, percentile(waits, 0.5)));
    p99.push(Math.max(0, percentile(waits, 0.99)));
  }
  await daemon.stop();
  const figure = (name: string, values: number[], most: number): Figure => ({
    name: `201 → start of the agent, 100 tasks/s, ${mode}, ${name}`,
    ours: `${median(values).toFixed(1)} ms`,
    baseline: '',
    value: median(values),
    bound: { most },
    note: '0 when the agent had started before the answer arrived',
  });
  return [figure('p50', p50, 5), figure('p99', p99, 25)];
}

async function post(
  url: string,
  headers: Record<string, string>,
  answered: Map<string, number>,
): Promise<void> {
  const response = await fetch(`${url}/api/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ title: 'Nothing to do', assignedAgent: 'noop' }),
  });
  const at = performance.timeOrigin + performance.now();
  const { task } = (await response.json()) as { task: { id: string } };
  answered.set(task.id, at);
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { startServer } from './child.ts';
import { type Figure, percentile } from './report.ts';

const TASKS = 100_000;
const CONNECTIONS = 500;

/** 100,000 tasks as fast as 500 connections can post them, and how long a health check waits meanwhile. */
export async function burst(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const daemon = await startServer('daemon', { SVC_HOME: home });
  let isOver = false;
  const health = watchHealth(daemon.url, () => isOver);
  const result = await autocannon({
    url: `${daemon.url}/api/tasks`,
    connections: CONNECTIONS,
    amount: TASKS,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...daemon.headers },
    body: JSON.stringify({ title: 'One of many', assignedAgent: 'noop' }),
  });
  isOver = true;
  const waits = await health;
  const response = await fetch(`${daemon.url}/api/tasks?limit=1`, { headers: daemon.headers });
  const { total } = (await response.json()) as { total: number };
  const rss = Number(await daemon.ask('rss')) / 2 ** 20;
  await daemon.stop();
  rmSync(home, { recursive: true });
  const lost = TASKS - result.non2xx - total;
  return [
    {
      name: '100,000 tasks at once: acknowledged and not there',
      ours: `${lost}`,
      baseline: '',
      value: Math.abs(lost),
      bound: { most: 0 },
      note: `${total} accepted, ${result.non2xx} refused, in ${result.duration.toFixed(1)} s, RSS ${rss.toFixed(0)} MiB`,
    },
    {
      name: '/api/health meanwhile, p99',
      ours: `${percentile(waits, 0.99).toFixed(1)} ms`,
      baseline: '',
      value: percentile(waits, 0.99),
      bound: { most: 100 },
      note: `${waits.length} checks`,
    },
  ];
}

async function watchHealth(url: string, isOver: () => boolean): Promise<number[]> {
  const waits: number[] = [];
  while (!isOver()) {
    const began = performance.now();
    await (await fetch(`${url}/api/health`)).text();
    waits.push(performance.now() - began);
  }
  return waits;
}

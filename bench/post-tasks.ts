import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { type BenchServer, startServer } from './child.ts';
import { type Figure, median } from './report.ts';

const RUNS = 5;
const SECONDS = 4;
const body = JSON.stringify({ title: 'Summarise the release notes' });

/** POST /api/tasks, on the disk before the 201, beside a Fastify that answers the same without storing anything. */
export async function postTasks(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const daemon = await startServer('daemon', { SVC_HOME: home });
  const sample = await fetch(`${daemon.url}/api/tasks`, {
    method: 'POST',
    headers: { ...daemon.headers, 'content-type': 'application/json' },
    body,
  });
  const bare = await startServer('bare-fastify', { BENCH_ANSWER: await sample.text() });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const baseline = await load(bare);
    const measured = await load(daemon);
    // The first pair only warms both up.
    if (run > 0) {
      theirs.push(baseline);
      ours.push(measured);
    }
  }
  const commits = Number(await daemon.ask('commits'));
  await Promise.all([daemon.stop(), bare.stop()]);
  rmSync(home, { recursive: true });
  return [
    {
      name: 'POST /api/tasks, durable, 50 connections',
      ours: `${median(ours).toFixed(0)}/s`,
      baseline: `bare Fastify ${median(theirs).toFixed(0)}/s`,
      value: median(ours.map((rate, run) => rate / (theirs[run] ?? Number.NaN))),
      bound: { least: 0.5 },
      note: `${((ours.reduce((sum, rate) => sum + rate * SECONDS, 0) * (RUNS + 1)) / RUNS / commits).toFixed(0)} tasks per commit`,
    },
  ];
}

async function load(server: BenchServer): Promise<number> {
  const result = await autocannon({
    url: `${server.url}/api/tasks`,
    connections: 50,
    duration: SECONDS,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...server.headers },
    body,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed`);
  return result.requests.total / result.duration;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './child.ts';
import { type Load, loadPosts } from './load-posts.ts';
import { type Figure, median } from './report.ts';

const RUNS = 5;
const SECONDS = 4;
const body = JSON.stringify({ title: 'Summarise the release notes' });

/**
 * POST /api/tasks, on the disk before the 201, beside a Fastify that stores a row as durably, and one that answers the
 * same without storing anything.
 */
export async function postTasks(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const daemon = await startServer('daemon', { SVC_HOME: home });
  const sample = await fetch(`${daemon.url}/api/tasks`, {
    method: 'POST',
    headers: { ...daemon.headers, 'content-type': 'application/json' },
    body,
  });
  const floor = await startServer('durable-fastify', { SVC_HOME: home });
  const bare = await startServer('bare-fastify', { BENCH_ANSWER: await sample.text() });
  const [ours, floors, bares]: [Load[], Load[], Load[]] = [[], [], []];
  for (let run = 0; run <= RUNS; run++) {
    const measured = [
      await loadPosts(bare, SECONDS),
      await loadPosts(floor, SECONDS),
      await loadPosts(daemon, SECONDS),
    ] as const;
    // The first only warms all up.
    if (run === 0) continue;
    for (const [index, list] of [bares, floors, ours].entries()) list.push(measured[index] ?? measured[0]);
  }
  const commits = Number(await daemon.ask('commits'));
  await Promise.all([daemon.stop(), floor.stop(), bare.stop()]);
  rmSync(home, { recursive: true });
  const mid = (loads: Load[], key: keyof Load) => median(loads.map((one) => one[key]));
  const ratio = (key: keyof Load, beside: Load[]) =>
    median(ours.map((one, run) => one[key] / (beside[run]?.[key] ?? Number.NaN)));
  const sent = ours.reduce((sum, { rate }) => sum + rate * SECONDS, 0) * ((RUNS + 1) / RUNS);
  return [
    {
      name: 'POST /api/tasks, durable, 50 connections',
      ours: `${mid(ours, 'rate').toFixed(0)}/s`,
      baseline: `Fastify with SQLite as durable ${mid(floors, 'rate').toFixed(0)}/s`,
      value: ratio('rate', floors),
      bound: { least: 0.8 },
      note: `${(sent / commits).toFixed(0)} tasks per commit; bare Fastify ${mid(bares, 'rate').toFixed(0)}/s`,
    },
    {
      name: 'its CPU per request',
      ours: `${mid(ours, 'cpu').toFixed(0)} µs`,
      baseline: `Fastify with SQLite as durable ${mid(floors, 'cpu').toFixed(0)} µs`,
      value: ratio('cpu', floors),
      bound: { most: 1.3 },
      note: `bare Fastify ${mid(bares, 'cpu').toFixed(0)} µs`,
    },
  ];
}

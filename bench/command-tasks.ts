import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './child.ts';
import { type Figure, median } from './report.ts';

const TASKS = 300;
const RUNS = 5;
const env = { BENCH_TASKS: String(TASKS), BENCH_CONCURRENCY: '10' };

interface Run {
  ms: number;
  /** Milliseconds for which the process used the CPU for a task. */
  cpu: number;
  /** Milliseconds by which its event loop was late, p99. */
  late: number;
}

/** Tasks of the `command` agent that run `true`, beside a small process that starts the same shells. */
export async function commandTasks(): Promise<Figure[]> {
  const svc = await startServer('command-tasks', {
    ...env,
    SVC_HOME: mkdtempSync(join(tmpdir(), 'svc-bench-')),
  });
  const bare = await startServer('bare-spawn', env);
  const ours: Run[] = [];
  const theirs: Run[] = [];
  try {
    for (let run = 0; run <= RUNS; run++) {
      const pair = [(await bare.ask('run')) as Run, (await svc.ask('run')) as Run] as const;
      // The first only warms both up.
      if (run === 0) continue;
      theirs.push(pair[0]);
      ours.push(pair[1]);
    }
  } finally {
    await Promise.all([svc.stop(), bare.stop()]);
  }
  const rate = (runs: Run[]) => (TASKS / median(runs.map(({ ms }) => ms))) * 1000;
  const mid = (runs: Run[], key: keyof Run) => median(runs.map((run) => run[key]));
  return [
    {
      name: `${TASKS} tasks of the agent command that run true, concurrency 10`,
      ours: `${rate(ours).toFixed(0)}/s`,
      baseline: `bare spawn ${rate(theirs).toFixed(0)}/s`,
      value: median(ours.map(({ ms }, run) => (theirs[run]?.ms ?? Number.NaN) / ms)),
      bound: { least: 0.5 },
      note: `CPU of the process for each ${mid(ours, 'cpu').toFixed(2)} ms, bare spawn ${mid(theirs, 'cpu').toFixed(2)} ms`,
    },
    {
      name: 'how late the event loop is meanwhile, p99',
      ours: `${mid(ours, 'late').toFixed(1)} ms`,
      baseline: `bare spawn ${mid(theirs, 'late').toFixed(1)} ms`,
      value: mid(ours, 'late'),
      bound: { most: 20 },
    },
  ];
}

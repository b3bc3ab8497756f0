import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Figure, median } from './report.ts';

const RUNS = 15;
const svc = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const port = 20_000 + (process.pid % 10_000);

/** The programs as a whole: the command line beside an empty Node.js, and the daemon's start and size. */
export async function programs(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const env = { ...process.env, SVC_HOME: home, SVC_PORT: String(port), SVC_NO_AUTOSTART: '1' };
  const starts: number[] = [];
  for (let run = 0; run < 5; run++) {
    const { daemon, ms } = await startDaemon(env);
    starts.push(ms);
    await stop(daemon);
  }
  const { daemon } = await startDaemon(env);
  // What the start needed is given back after a moment.
  await delay(3000);
  const rss = residentMiB(daemon.pid ?? 0);
  const empty: number[] = [];
  const version: number[] = [];
  const list: number[] = [];
  for (let run = 0; run < RUNS + 2; run++) {
    const times = [
      ['-e', '0'],
      [svc, '--version'],
      [svc, 'tasks', 'ls'],
    ].map((args) => timeOf(args, env));
    // The first rounds fill the compile cache.
    if (run < 2) continue;
    empty.push(times[0] ?? Number.NaN);
    version.push(times[1] ?? Number.NaN);
    list.push(times[2] ?? Number.NaN);
  }
  await stop(daemon);
  rmSync(home, { recursive: true });
  const beside = `node -e 0 ${median(empty).toFixed(0)} ms`;
  const ratio = (times: number[]) => median(times.map((ms, run) => ms / (empty[run] ?? Number.NaN)));
  return [
    {
      name: 'svc --version',
      ours: `${median(version).toFixed(0)} ms`,
      baseline: beside,
      value: ratio(version),
      bound: { most: 1.5 },
    },
    {
      name: 'svc tasks ls, daemon up',
      ours: `${median(list).toFixed(0)} ms`,
      baseline: beside,
      value: ratio(list),
      bound: { most: 4.5 },
    },
    {
      name: 'node bin/svc.js daemon until the first 200',
      ours: `${median(starts).toFixed(0)} ms`,
      baseline: '',
      value: median(starts),
      bound: { most: 450 },
    },
    {
      name: 'RSS of the idle daemon',
      ours: `${rss.toFixed(0)} MiB`,
      baseline: '',
      value: rss,
      bound: { most: 100 },
    },
  ];
}

function timeOf(args: string[], env: NodeJS.ProcessEnv): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.toString()}`);
  return performance.now() - began;
}

async function startDaemon(env: NodeJS.ProcessEnv) {
  const began = performance.now();
  const daemon = spawn(process.execPath, [svc, 'daemon'], { env, stdio: 'ignore' });
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/api/health/ready`).catch(() => undefined);
    if (response?.status === 200) return { daemon, ms: performance.now() - began };
    await delay(2);
  }
}

async function stop(daemon: ReturnType<typeof spawn>): Promise<void> {
  const gone = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  await gone;
}

function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

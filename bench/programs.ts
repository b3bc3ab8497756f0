import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Figure, median } from './report.ts';

const RUNS = 15;
const STARTS = 11;
const svc = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const port = 20_000 + (process.pid % 10_000);

/** The programs as a whole: the command line beside an empty Node.js, and the daemon's start and size. */
export async function programs(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const env = { ...process.env, SVC_HOME: home, SVC_PORT: String(port), SVC_NO_AUTOSTART: '1' };
  const starts: number[] = [];
  const emptyBesideStarts: number[] = [];
  for (let run = 0; run < STARTS + 1; run++) {
    const alone = timeOf(process.execPath, ['-e', '0'], env);
    const { daemon, ms } = await startDaemon(env);
    await stop(daemon);
    // The first start fills the compile cache and makes the database.
    if (run === 0) continue;
    starts.push(ms);
    emptyBesideStarts.push(alone);
  }
  const { daemon } = await startDaemon(env);
  // What the start needed is given back after a moment.
  await delay(3000);
  const rss = residentMiB(daemon.pid ?? 0);
  const empty: number[] = [];
  const commands: Command[] = [
    { args: [svc, '--version'], most: 1.5, times: [] },
    { args: [svc, 'tasks', 'ls'], most: 4.5, times: [] },
    { args: [svc, 'run', '--agent', 'command', '--', 'true'], most: 5.5, times: [] },
    // Where it is too old for svc, the launcher starts the Node.js that npm installed.
    ...systemNode().map((node) => ({ node, args: [svc, '--version'], most: 8, times: [] })),
  ];
  for (let run = 0; run < RUNS + 2; run++) {
    const alone = timeOf(process.execPath, ['-e', '0'], env);
    const times = commands.map(({ node = process.execPath, args }) => timeOf(node, args, env));
    // The first rounds fill the compile cache.
    if (run < 2) continue;
    empty.push(alone);
    commands.forEach((command, n) => command.times.push(times[n] ?? Number.NaN));
  }
  await stop(daemon);
  rmSync(home, { recursive: true });
  const beside = `node -e 0 ${median(empty).toFixed(0)} ms`;
  const ratio = (times: number[], alone = empty) =>
    median(times.map((ms, run) => ms / (alone[run] ?? Number.NaN)));
  return [
    ...commands.map(({ node, args, times, most }) => ({
      name: `svc ${args.slice(1).join(' ')}, ${node ? `on the system's Node.js (${node})` : 'beside a daemon'}`,
      ours: `${median(times).toFixed(0)} ms`,
      baseline: beside,
      value: ratio(times),
      bound: { most },
    })),
    {
      name: 'node bin/svc.js daemon until the first 200',
      ours: `${median(starts).toFixed(0)} ms`,
      baseline: `node -e 0 ${median(emptyBesideStarts).toFixed(0)} ms`,
      value: ratio(starts, emptyBesideStarts),
      bound: { most: 6 },
    },
    {
      name: 'RSS of the idle daemon',
      ours: `${rss.toFixed(0)} MiB`,
      baseline: '',
      value: rss,
      bound: { most: 90 },
    },
    packed(),
  ];
}

interface Command {
  /** Another Node.js than this one. */
  node?: string;
  args: string[];
  most: number;
  times: number[];
}

/** The Node.js of the system, where it is another than this one. */
function systemNode(): string[] {
  return ['/usr/bin/node', '/usr/local/bin/node']
    .filter((path) => existsSync(path) && realpathSync(path) !== realpathSync(process.execPath))
    .slice(0, 1);
}

/** The size of the package once it is installed, without the Node.js that npm installs beside it. */
function packed(): Figure {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  const [{ unpackedSize }] = JSON.parse(stdout) as [{ unpackedSize: number }];
  const value = unpackedSize / 2 ** 20;
  return {
    name: 'size of the package',
    ours: `${value.toFixed(1)} MiB`,
    baseline: '',
    value,
    bound: { most: 60 },
  };
}

function timeOf(node: string, args: string[], env: NodeJS.ProcessEnv): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(node, args, { env });
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

import { rmSync } from 'node:fs';
import type { filterTasksQuerySchema } from '../src/contract/tasks.ts';
import { type BenchServer, startServer } from './child.ts';
import { homeOfTasks } from './fill-tasks.ts';
import { MeasuredCluster } from './measured-cluster.ts';
import { type Figure, median, percentile } from './report.ts';

const TASKS = 1_000_000;
const RUNS = 20;
const CLIENTS = 4;
/** The daemon ends each of its reads long before. */
const LONGEST_MS = 60_000;
const TOO_SLOW_MS = 500;
const BESIDE_MS = 15_000;

/** Values of each parameter that many, some, few or no tasks have. A new parameter of the contract needs some here. */
const values: Record<Exclude<keyof typeof filterTasksQuerySchema.shape, (typeof shape)[number]>, string[]> = {
  status: ['failed', 'cancelled', 'pending', 'failed,cancelled'],
  priority: ['1', '4', '1,2'],
  source: ['codehost', 'api', 'tracker_a', 'codehost,cron'],
  sourceId: ['o/r#50', 'nope'],
  agent: ['noop', 'retired', 'nope'],
  labels: ['nightly', 'l7', 'old', 'nope', 'nightly,l7', 'old,new'],
  createdAfter: ['2023-11-25', '2033-01-01'],
  createdBefore: ['2023-11-15', '2013-01-01'],
  completedAfter: ['2023-11-25', '2033-01-01'],
  completedBefore: ['2023-11-15', '2013-01-01'],
  repository: ['org/r7', 'nope'],
  cwd: ['/home/ada/p7', '/home/ada', '/nope'],
  q: ['number', 'number 77', 'w12', 'x77', 'm7', 'nope', 'please fix'],
};
/** Parameters that shape the list. */
const shape = ['sortBy', 'sortOrder', 'limit', 'offset', 'cursor', 'fields', 'full'] as const;
const orders = ['createdAt', 'updatedAt', 'completedAt', 'priority'];

interface Timed {
  path: string;
  p50: number;
  p99: number;
  status: number;
}

/** Every filter in every order over a million tasks, pairs of filters, statistics, and what the slowest do to others. */
export async function worstQuery(): Promise<Figure[]> {
  const home = await homeOfTasks(TASKS);
  try {
    return await measure({ SVC_HOME: home });
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** The same in mode pro, on tasks that `svc storage copy` brought there. */
export async function clusterQuery(): Promise<Figure[]> {
  await using cluster = await MeasuredCluster.start();
  const home = await homeOfTasks(TASKS);
  try {
    const { environment, seconds } = await cluster.copyOf(home);
    const copied: Figure = {
      name: `svc storage copy of ${TASKS.toLocaleString('en')} tasks to PostgreSQL`,
      ours: `${seconds.toFixed(0)} s`,
      baseline: '',
      value: seconds,
      bound: { most: 600 },
    };
    return [copied, ...(await measure(environment))];
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function measure(environment: Record<string, string>): Promise<Figure[]> {
  const daemon = await startServer('daemon', environment);
  try {
    const singles: Timed[] = [];
    for (const query of eachFilter()) singles.push(await time(daemon, `/api/tasks/filter?${query}`));
    const pairs: Timed[] = [];
    for (const query of eachPair()) pairs.push(await time(daemon, `/api/tasks/filter?${query}`, 1));
    const analytics = await time(daemon, '/api/tasks/analytics?days=365');
    const quiet = await beside(daemon, []);
    const slowest = [...singles, ...pairs].toSorted((a, b) => b.p50 - a.p50);
    report([...slowest.slice(0, 25), analytics]);
    const loud = await beside(
      daemon,
      slowest.slice(0, CLIENTS).map(({ path }) => path),
    );
    const within = (list: Timed[], most: number) => list.filter(({ p50 }) => p50 <= most).length;
    const slowestSingle = singles.toSorted((a, b) => b.p50 - a.p50)[0];
    return [
      {
        name: 'one filter in one order over 1,000,000 tasks: the slowest p50',
        ours: `${slowestSingle?.p50.toFixed(1)} ms`,
        baseline: `${within(singles, 10)} of ${singles.length} within 10 ms`,
        value: slowestSingle?.p50 ?? Number.NaN,
        bound: { most: 10 },
        note: slowestSingle?.path ?? '',
      },
      {
        name: 'the median of their p99',
        ours: `${median(singles.map(({ p99 }) => p99)).toFixed(1)} ms`,
        baseline: '',
        value: median(singles.map(({ p99 }) => p99)),
        bound: { most: 50 },
      },
      {
        name: 'two filters at once: the slowest',
        ours: `${slowest[0]?.p50.toFixed(0)} ms`,
        baseline: `${within(pairs, 50)} of ${pairs.length} within 50 ms`,
        value: slowest[0]?.p50 ?? Number.NaN,
        bound: { most: 2500 },
        note: slowest[0]?.path ?? '',
      },
      figure('statistics of a year', analytics.p50, 50),
      figure(
        `GET /api/health beside ${CLIENTS} clients that repeat the slowest, p99`,
        loud.health,
        20,
        quiet.health,
      ),
      figure(`POST /api/tasks beside them, p99`, loud.post, 20, quiet.post),
    ];
  } finally {
    await daemon.stop();
  }
}

const figure = (name: string, ms: number, most: number, quiet?: number): Figure => ({
  name,
  ours: `${ms.toFixed(1)} ms`,
  baseline: quiet === undefined ? '' : `${quiet.toFixed(1)} ms without them`,
  value: ms,
  bound: { most },
});

function* eachFilter(): Generator<string> {
  for (const sortBy of orders) {
    yield `sortBy=${sortBy}`;
    for (const [name, texts] of Object.entries(values))
      for (const text of texts) yield `sortBy=${sortBy}&${name}=${encodeURIComponent(text)}`;
  }
  yield 'offset=900000';
}

function* eachPair(): Generator<string> {
  const names = Object.keys(values) as (keyof typeof values)[];
  for (const [index, one] of names.entries())
    for (const other of names.slice(index + 1))
      for (const first of values[one].slice(0, 2))
        for (const second of values[other].slice(0, 2))
          yield `${one}=${encodeURIComponent(first)}&${other}=${encodeURIComponent(second)}`;
}

async function time(daemon: BenchServer, path: string, runs = RUNS): Promise<Timed> {
  const times: number[] = [];
  let status = 0;
  // One that is far too slow is not measured more precisely.
  for (let run = 0; run < runs && (times.at(-1) ?? 0) < TOO_SLOW_MS; run++) {
    const began = performance.now();
    const signal = AbortSignal.timeout(LONGEST_MS);
    const response = await fetch(`${daemon.url}${path}`, { headers: daemon.headers, signal }).catch(
      (cause: unknown) => {
        throw new Error(`No answer to ${path}`, { cause });
      },
    );
    await response.arrayBuffer();
    times.push(performance.now() - began);
    ({ status } = response);
    // What is refused is not measured.
    if (status !== 200 && status !== 503) throw new Error(`${path} was answered with ${status}`);
  }
  return { path, p50: median(times), p99: percentile(times, 0.99), status };
}

/** The p99 of health and of a new task while clients repeat requests. */
async function beside(daemon: BenchServer, paths: string[]): Promise<{ health: number; post: number }> {
  const end = performance.now() + BESIDE_MS;
  const isOver = () => performance.now() > end;
  const loop = async (path: string) => {
    while (!isOver()) await (await fetch(`${daemon.url}${path}`, { headers: daemon.headers })).arrayBuffer();
  };
  const health: number[] = [];
  const post: number[] = [];
  const watch = async () => {
    while (!isOver()) {
      let began = performance.now();
      await (await fetch(`${daemon.url}/api/health`)).arrayBuffer();
      health.push(performance.now() - began);
      began = performance.now();
      const response = await fetch(`${daemon.url}/api/tasks`, {
        method: 'POST',
        headers: { ...daemon.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'Beside', assignedAgent: 'noop' }),
      });
      await response.arrayBuffer();
      post.push(performance.now() - began);
    }
  };
  await Promise.all([watch(), ...paths.map(loop)]);
  return { health: percentile(health, 0.99), post: percentile(post, 0.99) };
}

function report(list: Timed[]): void {
  for (const { path, p50, p99, status } of list)
    console.error(`${p50.toFixed(1).padStart(9)} ${p99.toFixed(1).padStart(9)} ${status} ${path}`);
}

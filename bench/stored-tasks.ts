import { rmSync } from 'node:fs';
import { type BenchServer, startServer } from './child.ts';
import { homeOfTasks } from './fill-tasks.ts';
import { MeasuredCluster } from './measured-cluster.ts';
import { type Figure, median } from './report.ts';

const FEW = 1000;
const MANY = 1_000_000;
const PAGES = 200;

interface Measured {
  page: number;
  deepPage: number;
  filter: number;
  deepFilter: number;
  startMs: number;
  rssMiB: number;
}

/** Lists over a million stored tasks beside lists over a thousand, and what a start with them costs. */
export async function storedTasks(): Promise<Figure[]> {
  const mini = async (home: string) => ({ SVC_HOME: home });
  const [few, many] = [await measureHome(FEW, mini), await measureHome(MANY, mini)];
  return [
    ...pagesOf(few, many),
    {
      name: 'start with 1,000,000 tasks until ready',
      ours: `${many.startMs.toFixed(0)} ms`,
      baseline: '',
      value: many.startMs,
      bound: { most: 2000 },
    },
    {
      name: 'RSS with 1,000,000 tasks after the lists',
      ours: `${many.rssMiB.toFixed(0)} MiB`,
      baseline: '',
      value: many.rssMiB,
      bound: { most: 300 },
    },
  ];
}

/** The same lists in mode pro. */
export async function clusterLists(): Promise<Figure[]> {
  await using cluster = await MeasuredCluster.start();
  const copied = async (home: string) => (await cluster.copyOf(home)).environment;
  const [few, many] = [await measureHome(FEW, copied), await measureHome(MANY, copied)];
  return pagesOf(few, many, ', in PostgreSQL');
}

function pagesOf(few: Measured, many: Measured, where = ''): Figure[] {
  const ratio = (name: string, key: 'page' | 'deepPage' | 'filter' | 'deepFilter'): Figure => ({
    name: `${name}${where}`,
    ours: `${many[key].toFixed(2)} ms at 1,000,000`,
    baseline: `${few[key].toFixed(2)} ms at 1,000`,
    value: many[key] / few[key],
    bound: { most: 2 },
  });
  return [
    ratio('list: first page by cursor', 'page'),
    ratio('list: page in the middle by cursor', 'deepPage'),
    ratio('filter by status: first page', 'filter'),
    ratio('filter by status: page in the middle', 'deepFilter'),
  ];
}

async function measureHome(
  tasks: number,
  environmentOf: (home: string) => Promise<Record<string, string>>,
): Promise<Measured> {
  const home = await homeOfTasks(tasks);
  try {
    return await measure(await environmentOf(home), tasks);
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function measure(environment: Record<string, string>, tasks: number): Promise<Measured> {
  const began = performance.now();
  const daemon = await startServer('daemon', environment);
  const startMs = performance.now() - began;
  const filtered = await walk(daemon, '/api/tasks/filter?status=completed&limit=50', tasks / 2);
  const listed = await walk(daemon, '/api/tasks?limit=50', tasks / 2);
  const rssMiB = Number(await daemon.ask('rss')) / 2 ** 20;
  await daemon.stop();
  return {
    page: listed.first,
    deepPage: listed.deep,
    filter: filtered.first,
    deepFilter: filtered.deep,
    startMs,
    rssMiB,
  };
}

/** Milliseconds for the first page and for one in the middle; cursors lead there in steps of 500. */
async function walk(daemon: BenchServer, path: string, half: number) {
  const get = async (query: string) => {
    const response = await fetch(`${daemon.url}${path}${query}`, { headers: daemon.headers });
    return (await response.json()) as { nextCursor?: string };
  };
  const first = await time(() => get(''));
  let cursor = '';
  const big = path.replace('limit=50', 'limit=500');
  for (let passed = 0; passed < half; passed += 500) {
    const query = cursor && `&cursor=${cursor}`;
    const response = await fetch(`${daemon.url}${big}${query}`, { headers: daemon.headers });
    const page = (await response.json()) as { nextCursor?: string };
    if (page.nextCursor === undefined) break;
    cursor = page.nextCursor;
  }
  return { first, deep: await time(() => get(`&cursor=${cursor}`)) };
}

async function time(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let page = 0; page < PAGES; page++) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
  }
  return median(times.slice(PAGES / 4));
}

import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchServer, startServer } from './child.ts';
import { type Figure, percentile } from './report.ts';

const CONNECTIONS = 10_000;
const CHILDREN = 2;
const ADDRESSES_EACH = 5;
const ASKED = 400;
const APART_MS = 15;

const floods: { name: string; sent: string }[] = [
  { name: 'that say nothing', sent: '' },
  {
    name: 'that begin a body',
    sent: 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
  },
];

/** Health over new connections while other clients hold as many as they get, and after they came all at once. */
export async function flood(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, sent } of floods) {
    const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    const daemon = await startServer('daemon', { SVC_HOME: home });
    const calm = await askHealth(daemon);
    const cpuBefore = await cpuMs(daemon);
    const began = performance.now();
    const clients = await Promise.all(
      Array.from({ length: CHILDREN }, (_, child) =>
        startServer('silent-clients', {
          BENCH_URL: daemon.url,
          BENCH_COUNT: String(CONNECTIONS / CHILDREN),
          BENCH_ADDRESSES: Array.from(
            { length: ADDRESSES_EACH },
            (__, at) => `127.0.0.${2 + child * ADDRESSES_EACH + at}`,
          ).join(','),
          BENCH_SENT: sent,
        }),
      ),
    );
    while ((await countsOf(clients)).opened < CONNECTIONS) await delay(APART_MS);
    // Connections are accepted in their order: once this is answered, they all were.
    await ask(`${daemon.url}/api/health`);
    const arrived = performance.now() - began;
    const times = await askHealth(daemon);
    const { open } = await countsOf(clients);
    const cpu = (await cpuMs(daemon)) - cpuBefore;
    const rss = Number(await daemon.ask('rss'));
    await Promise.all([...clients, daemon].map((server) => server.stop()));
    rmSync(home, { recursive: true });
    figures.push({
      name: `GET /api/health over new connections, after ${CONNECTIONS} came ${name}, p99`,
      ours: describe(times),
      baseline: `before: ${describe(calm)}`,
      value: percentile(times, 0.99),
      bound: { most: 100 },
      note: `they came and were dealt with in ${(arrived / 1000).toFixed(1)} s; ${open} were left in the end; ${cpu.toFixed(0)} ms of CPU, RSS ${Math.round(rss / 2 ** 20)} MiB`,
    });
  }
  return figures;
}

async function cpuMs(daemon: BenchServer): Promise<number> {
  const { user, system } = (await daemon.ask('cpu')) as NodeJS.CpuUsage;
  return (user + system) / 1000;
}

async function countsOf(clients: BenchServer[]): Promise<{ opened: number; open: number }> {
  const counts = await Promise.all(
    clients.map((client) => client.ask('counts') as ReturnType<typeof countsOf>),
  );
  const sum = (name: 'opened' | 'open') => counts.reduce((total, each) => total + each[name], 0);
  return { opened: sum('opened'), open: sum('open') };
}

const describe = (times: number[]) =>
  `p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms`;

/** Milliseconds of each answer, the connection included; one that fails counts as for ever. */
async function askHealth({ url }: BenchServer): Promise<number[]> {
  const asked: Promise<number>[] = [];
  for (let at = 0; at < ASKED; at++) {
    asked.push(ask(`${url}/api/health`));
    await delay(APART_MS);
  }
  return Promise.all(asked);
}

function ask(url: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response
        .resume()
        .once('end', () =>
          resolve(response.statusCode === 200 ? performance.now() - began : Number.POSITIVE_INFINITY),
        );
    });
    request.once('error', () => resolve(Number.POSITIVE_INFINITY));
  });
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { type BenchServer, startServer } from './child.ts';
import { type Figure, median } from './report.ts';

const RUNS = 5;
const SECONDS = 4;
const task = { title: 'Summarise the release notes' };

/** POST /api/gateway with a token, beside POST /api/tasks with a session, both to the same daemon in turn. */
export async function gateway(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const daemon = await startServer('daemon', {
    SVC_HOME: home,
    GATEWAY_RATE_LIMIT_RPM: '1000000',
    SVC_GATEWAY_REQUESTS_PER_SECOND: '100000',
  });
  const token = await createToken(daemon);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const plain = await load(`${daemon.url}/api/tasks`, daemon.headers, task);
    const submitted = await load(`${daemon.url}/api/gateway`, { authorization: `Bearer ${token}` }, { task });
    // The first pair only warms both up.
    if (run > 0) {
      theirs.push(plain);
      ours.push(submitted);
    }
  }
  await daemon.stop();
  rmSync(home, { recursive: true });
  return [
    {
      name: 'POST /api/gateway, durable, 50 connections',
      ours: `${median(ours).toFixed(0)}/s`,
      baseline: `POST /api/tasks ${median(theirs).toFixed(0)}/s`,
      value: median(ours.map((rate, run) => rate / (theirs[run] ?? Number.NaN))),
      bound: { least: 0.5 },
    },
  ];
}

async function createToken({ url, headers }: BenchServer): Promise<string> {
  const response = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', scopes: ['gateway:write'] }),
  });
  return ((await response.json()) as { token: string }).token;
}

async function load(url: string, headers: Record<string, string>, body: object): Promise<number> {
  const result = await autocannon({
    url,
    connections: 50,
    duration: SECONDS,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed`);
  return result.requests.total / result.duration;
}

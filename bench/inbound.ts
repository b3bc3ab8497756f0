import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { type BenchServer, startServer } from './child.ts';
import { type Figure, median } from './report.ts';

const RUNS = 5;
const SECONDS = 4;
const CONNECTIONS = 50;
const secret = 'the secret of the bench';
/** What makes a delivery as large as those of GitHub are, about 12 KB. */
const padding = Object.fromEntries(
  Array.from({ length: 120 }, (_, at) => [
    `url_${at}`,
    `https://api.github.com/repos/octo/hello/some/thing/number/${at}`,
  ]),
);

/** Webhooks of GitHub, each of which makes a task: verified and on the disk before the 200. */
export async function inbound(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const daemon = await startServer('daemon', { SVC_HOME: home, CODEHOST_WEBHOOK_SECRET: secret });
  const bare = await startServer('bare-webhook', { BENCH_SECRET: secret });
  const ours: Load[] = [];
  const theirs: Load[] = [];
  let issues = 0;
  const next = () => requestOf(++issues);
  for (let run = 0; run <= RUNS; run++) {
    const baseline = await load(bare, next);
    const measured = await load(daemon, next);
    // The first pair only warms both up.
    if (run === 0) continue;
    theirs.push(baseline);
    ours.push(measured);
  }
  const [stored, commits] = [await countTasks(daemon), Number(await daemon.ask('commits'))];
  await Promise.all([daemon.stop(), bare.stop()]);
  rmSync(home, { recursive: true });
  const sent = ours.reduce((sum, { requests }) => sum + requests, 0);
  if (stored < sent) throw new Error(`Only ${stored} tasks of ${sent} deliveries`);
  const rate = (loads: Load[]) => `${median(loads.map((each) => each.rate)).toFixed(0)}/s`;
  const p99 = median(ours.map((each) => each.p99));
  return [
    {
      name: `inbound webhooks of 12 KB that make tasks, durable, ${CONNECTIONS} connections`,
      ours: rate(ours),
      baseline: `bare Fastify that verifies them ${rate(theirs)}`,
      value: median(ours.map((each, run) => each.rate / (theirs[run]?.rate ?? Number.NaN))),
      bound: { least: 0.1 },
      note: `${(stored / commits).toFixed(0)} tasks per commit`,
    },
    {
      name: 'p99 of their answers',
      ours: `${p99.toFixed(0)} ms`,
      baseline: `${median(theirs.map((each) => each.p99)).toFixed(0)} ms`,
      value: p99,
      bound: { most: 50 },
    },
  ];
}

interface Load {
  rate: number;
  p99: number;
  requests: number;
}

async function load({ url }: BenchServer, next: () => object): Promise<Load> {
  const result = await autocannon({
    url: `${url}/api/webhooks/codehost`,
    connections: CONNECTIONS,
    duration: SECONDS,
    method: 'POST',
    requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed`);
  const { requests, latency, duration } = result;
  return { rate: requests.total / duration, p99: latency.p99, requests: requests.total };
}

/** Made while the clock runs, which costs both the same. */
function requestOf(number: number) {
  const body = JSON.stringify({
    action: 'opened',
    issue: {
      ...padding,
      id: number,
      number,
      title: `Issue ${number}`,
      body: 'It looks like something does not work as it should.',
      state: 'open',
      html_url: `https://github.com/octo/hello/issues/${number}`,
      user: { login: 'ann', id: 1, type: 'User' },
      labels: [{ id: 1, name: 'ai-task', color: 'd73a4a' }],
      assignees: [],
    },
    repository: { ...padding, id: 1, full_name: 'octo/hello', default_branch: 'main' },
    sender: { login: 'ann', id: 1, type: 'User' },
  });
  const mac = createHmac('sha256', secret).update(body).digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': `delivery-${number}`,
      'x-hub-signature-256': `sha256=${mac}`,
    },
  };
}

async function countTasks({ url, headers }: BenchServer): Promise<number> {
  const response = await fetch(`${url}/api/tasks/filter?limit=1`, { headers });
  return ((await response.json()) as { total: number }).total;
}

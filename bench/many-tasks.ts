import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { sessionCookie } from '../src/contract/locations.ts';
import { startServer } from './child.ts';
import { port, residentMiB, startProgram, stopProgram } from './program.ts';
import type { Figure } from './report.ts';

const TASKS = 100_000;
/** As many wait at most, so that it is the work that stays in memory and not a queue. */
const BATCH = 2000;

/** The memory of the built daemon once 100,000 tasks went through it, each run by a program beside it that answers at once. */
export async function manyTasks(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const agent = await startServer('answering-agent');
  const { daemon } = await startProgram({
    ...process.env,
    SVC_HOME: home,
    SVC_PORT: String(port),
    SVC_AGENTS_HTTP_URL: agent.url,
    SVC_OUTBOUND_ALLOW_PRIVATE: '127.0.0.1/32',
    SVC_QUEUE_CONCURRENCY: '20',
  });
  const before = residentMiB(daemon.pid ?? 0);
  const url = `http://127.0.0.1:${port}/api/tasks`;
  const headers = {
    'content-type': 'application/json',
    cookie: `${sessionCookie}=${readFileSync(join(home, 'owner-session'), 'utf8')}`,
  };
  const completed = async () => {
    const response = await fetch(`${url}/filter?status=completed&limit=1`, { headers });
    return ((await response.json()) as { total: number }).total;
  };
  for (let created = 0; created < TASKS; created += BATCH) {
    const { non2xx } = await autocannon({
      url,
      connections: 20,
      amount: BATCH,
      method: 'POST',
      headers,
      body: JSON.stringify({ title: 'One of many', assignedAgent: 'http' }),
    });
    if (non2xx > 0) throw new Error(`${non2xx} tasks were refused`);
    while ((await completed()) < created + BATCH) await delay(50);
  }
  // V8 gives back what it does not use once nothing happens for half a minute.
  await delay(60_000);
  const rss = residentMiB(daemon.pid ?? 0);
  await stopProgram(daemon);
  await agent.stop();
  rmSync(home, { recursive: true });
  return [
    {
      name: 'RSS of the daemon, a minute after 100,000 tasks',
      ours: `${rss.toFixed(0)} MiB`,
      baseline: `at its start ${before.toFixed(0)} MiB`,
      value: rss,
      bound: { most: 150 },
    },
  ];
}

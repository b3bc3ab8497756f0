import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Client, createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import type { KillOrder } from '../rigs/crash/kill-points.ts';
import type { Order } from '../rigs/schedules/daemon.ts';
import { temporaryFolder } from '../helpers/daemon.ts';
import { until } from '../helpers/tasks.ts';
import { sized } from '../helpers/long.ts';
import { compileCache } from '../helpers/compile-cache.ts';

const script = fileURLToPath(new URL('../rigs/schedules/daemon.ts', import.meta.url));
const beginning = '2026-01-01T02:00:00.000Z';
const firstDay = '2026-01-01T03:00:01.000Z';
const secondDay = '2026-01-02T03:00:01.000Z';
const names = ['plain', 'queue', 'cancel', 'fails'] as const;

async function start(home: string, now: string, ended: readonly string[] = []) {
  const child = fork(script, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      SVC_HOME: home,
      RIG_NOW: now,
      RIG_ENDED: ended.join(','),
      ...compileCache,
    },
  });
  const death = once(child, 'close').then(() => 'dead' as const);
  const [ready] = (await Promise.race([once(child, 'message'), death.then(() => [])])) as { url: string }[];
  if (!ready) throw new Error('The daemon did not start');
  const headers = { cookie: `${sessionCookie}=${readFileSync(join(home, 'owner-session'), 'utf8')}` };
  const client = createClient(contract, {
    baseUrl: ready.url,
    fetch: (url, init) => fetch(url, init),
    headers,
  });
  const send = (order: Order) => void (child.connected && child.send(order, () => undefined));
  return {
    client,
    death,
    send,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** Resolves when everything that is due has been seen to, or with the death of the daemon. */
    look: async () => {
      const looked = once(child, 'message');
      send({ look: true });
      await Promise.race([looked, death]);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await death;
    },
  };
}

const schedulesOf = async (client: Client) => {
  const { schedules } = await client.schedules.list();
  return Object.fromEntries(schedules.map((schedule) => [schedule.name, schedule]));
};

/** Kills the daemon in the middle of a busy night; answers whether it came so far, and what was there in the end. */
async function night(order: KillOrder) {
  const home = temporaryFolder();
  try {
    const daemon = await start(home, beginning, ['plain']);
    for (const name of names)
      await daemon.client.schedules.create({
        body: {
          cron: '0 3 * * *',
          timezone: 'UTC',
          overlap: name === 'queue' ? 'queue' : name === 'cancel' ? 'cancel_previous' : 'skip',
          maxFailures: 1,
          task: { title: name, assignedAgent: 'test' },
        },
      });
    daemon.send({ now: firstDay });
    await daemon.look();
    await until(async () => {
      const schedules = await schedulesOf(daemon.client);
      const states = names.map((name) => schedules[name]?.lastStatus);
      expect(states).toEqual(['completed', 'in_progress', 'in_progress', 'in_progress']);
    });
    daemon.send({ now: secondDay });
    daemon.send({ kill: order });
    await daemon.look();
    for (const name of names) daemon.send({ end: name });
    // Another commit for each that is still to come, or the end of the night.
    const settled = async (client: Client) =>
      until(async () => {
        const schedules = await schedulesOf(client);
        expect(schedules['queue']).toMatchObject({ runCount: 2, waitingCount: 0, lastStatus: 'completed' });
        expect(schedules['plain']).toMatchObject({ runCount: 2, lastStatus: 'completed' });
        expect(schedules['cancel']).toMatchObject({ runCount: 2, lastStatus: 'completed' });
        expect(schedules['fails']?.status).toBe('paused');
      });
    const wasKilled =
      (await Promise.race([daemon.death, settled(daemon.client).catch(() => daemon.death)])) === 'dead';
    await daemon.kill();
    const after = await start(home, secondDay, names);
    try {
      await settled(after.client);
      await after.look();
      const { tasks } = await after.client.tasks.list({ query: { limit: 500, full: true } });
      const statuses = (id = '') =>
        tasks
          .filter(({ sourceId }) => sourceId === id)
          .map(({ status = '' }): string => status)
          .sort((a, b) => a.localeCompare(b));
      const schedules = await schedulesOf(after.client);
      const { notifications } = await after.client.notifications.list();
      return {
        wasKilled,
        schedules,
        statuses: names.map((name) => statuses(schedules[name]?.id)),
        told: notifications.filter(({ type }) => type === 'schedule_paused').length,
      };
    } finally {
      await after.kill();
    }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

it('a schedule loses and repeats no occurrence, at whichever commit the daemon is killed', async () => {
  const orders: KillOrder[] = [{ point: 'before-commit', passing: 1 }];
  let kills = 0;
  for (let order = orders.shift(); order; order = orders.shift()) {
    const { wasKilled, schedules, statuses, told } = await night(order);
    const where = `killed ${order.point} ${order.passing}`;
    expect(statuses, where).toEqual([
      ['completed', 'completed'],
      ['completed', 'completed'],
      ['cancelled', 'completed'],
      ['failed'],
    ]);
    expect(told, where).toBe(1);
    for (const schedule of Object.values(schedules)) expect(schedule.misfireCount, where).toBe(0);
    if (!wasKilled) break;
    kills++;
    const passing = order.point === 'before-commit' ? 1 : order.passing + sized(8, 1);
    orders.push({ point: 'after-commit', passing });
  }
  // The times, the ends and what follows from them are more than these.
  expect(kills).toBeGreaterThan(sized(1, 4));
}, 300_000);

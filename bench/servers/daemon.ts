import { readFileSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import { sessionCookie } from '../../src/contract/locations.ts';
import { findCaller, recallCaller } from '../../src/daemon/credentials.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { addManyTasks } from '../../test/helpers/many-tasks.ts';
import { noopAdapter } from '../noop-adapter.ts';

/** When each task reached the agent, by task id, in wall-clock milliseconds. */
const starts = new Map<string, number>();

const noop = noopAdapter((id) => starts.set(id, performance.timeOrigin + performance.now()));

const daemon = await startDaemon({
  flags: { 'server.port': 0, 'log.level': 'warn' },
  extraAdapters: [noop],
});
process.on('SIGTERM', () => void daemon.close(0).then(() => process.exit(0)));
process.on('message', (question: string | { manyTasks: number }) => {
  if (typeof question === 'object')
    void addManyTasks(daemon, question.manyTasks).then(() => process.send?.(true));
  if (question === 'commits') process.send?.(daemon.app.database.commits());
  if (question === 'cpu') process.send?.(process.cpuUsage());
  if (question === 'rss') process.send?.(process.memoryUsage().rss);
  if (question === 'session-checks') void timeSessionChecks().then((times) => process.send?.(times));
  if (question === 'starts') process.send?.([...starts]);
});
const token = readFileSync(daemon.locations.ownerSessionFile, 'utf8');
process.send?.({ url: daemon.url, headers: { cookie: `${sessionCookie}=${token}` } });

/** Microseconds of one check of the session: looked up a moment ago, as in a run of requests, and from the database. */
async function timeSessionChecks(): Promise<{ recalled: number; looked: number }> {
  const { sessions } = daemon.app;
  const cookie = `${sessionCookie}=${token}`;
  const request = { headers: { cookie } } as FastifyRequest;
  const ROUNDS = 20_000;
  await sessions.resolve(token);
  let began = performance.now();
  for (let round = 0; round < ROUNDS; round++) recallCaller(daemon.app, request);
  const recalled = ((performance.now() - began) / ROUNDS) * 1000;
  began = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    sessions.forget();
    await findCaller(daemon.app, request);
  }
  return { recalled, looked: ((performance.now() - began) / ROUNDS) * 1000 };
}

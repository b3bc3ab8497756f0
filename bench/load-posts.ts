import autocannon from 'autocannon';
import { type BenchServer, cpuOfServer } from './child.ts';

const body = JSON.stringify({ title: 'Summarise the release notes' });

export interface Load {
  /** Requests per second. */
  rate: number;
  /** Microseconds of CPU per request. */
  cpu: number;
}

/** Creates tasks over 50 connections for so many seconds; throws where a request fails. */
export async function loadPosts(server: BenchServer, duration: number): Promise<Load> {
  const before = await cpuOfServer(server);
  const result = await autocannon({
    url: `${server.url}/api/tasks`,
    connections: 50,
    duration,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...server.headers },
    body,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed`);
  const { total } = result.requests;
  return { rate: total / result.duration, cpu: ((await cpuOfServer(server)) - before) / total };
}

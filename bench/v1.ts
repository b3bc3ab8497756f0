import { setTimeout } from 'node:timers/promises';
import {
  ask,
  cpuOf,
  cpuOfPieces,
  listen,
  type Speech,
  startBefore,
  startCompletions,
  startModel,
  type Way,
} from './model-load.ts';
import { type Figure, median } from './report.ts';

const ROUNDS = 7;
const ASKED = 40;
const AT_ONCE = 20;
const IDLE_MS = 15;
const short: Speech = { pieces: 3, everyMs: 1 };
/** As fast as it can be written, so that several pieces come at once. */
const long: Speech = { pieces: 200, everyMs: 0 };

const names = ['direct', 'proxy', 'completions', 'v1', 'capped'] as const;
type Name = (typeof names)[number];
type Times = Record<Name, number[]>;

/**
 * The API of OpenAI: what a call through it adds to one through a bare proxy, and its CPU beside the completions of svc in
 * the same process; `capped` is a token with every cap.
 */
export async function v1(): Promise<Figure[]> {
  const direct = await startModel();
  const completions = await startCompletions(direct);
  const ways: Record<Name, Way> = {
    direct,
    proxy: await startBefore(direct, 'fastify-proxy'),
    completions,
    v1: await withToken(completions, {}),
    capped: await withToken(completions, {
      models: ['openai/*'],
      requestsPerMinute: 1_000_000,
      tokensPerMinute: 1_000_000_000,
      costPerDay: 1_000_000,
    }),
  };
  const [first, whole, cpu] = [noTimes(), noTimes(), noTimes()];
  for (let round = 0; round <= ROUNDS; round++) {
    const add = async (times: Times, each: number, measure: (way: Way, name: Name) => Promise<number>) => {
      const measured = noTimes();
      for (let time = 0; time < each; time++)
        for (const name of names) {
          if (name !== 'direct') await untilIdle(ways[name]);
          measured[name].push(await measure(ways[name], name));
        }
      // The first round only warms up.
      if (round > 0) for (const name of names) times[name].push(median(measured[name]));
    };
    await add(first, ASKED, async (way) => (await listen(way, short)).firstByte);
    await add(whole, ASKED, ask);
    await add(cpu, 1, async (way, name) => (name === 'direct' ? 0 : cpuOfPieces(way, AT_ONCE, long)));
  }
  for (const name of ['proxy', 'completions', 'direct'] as const) await ways[name].server.stop();
  /** The median of what is more, by pairs of one round. */
  const more = (times: Times, name: Name, than: Name) =>
    median(times[name].map((time, round) => time - (times[than][round] ?? Number.NaN)));
  const share = (times: Times, name: Name, of: Name) =>
    median(times[name].map((time, round) => time / (times[of][round] ?? Number.NaN)));
  const added = (name: string, times: Times, of: Name): Figure => ({
    name,
    ours: `+ ${more(times, of, 'direct').toFixed(2)} ms`,
    baseline: `Fastify proxy + ${more(times, 'proxy', 'direct').toFixed(2)}, completions + ${more(times, 'completions', 'direct').toFixed(2)} ms`,
    value: more(times, of, 'proxy'),
    bound: { most: 1 },
    note: `direct ${median(times.direct).toFixed(1)} ms`,
  });
  const used = (name: string, of: Name): Figure => ({
    name,
    ours: median(cpu[of]).toFixed(1),
    baseline: `completions ${median(cpu.completions).toFixed(1)}, Fastify proxy ${median(cpu.proxy).toFixed(1)}`,
    value: share(cpu, of, 'completions'),
    bound: { most: 1 },
    note: `${AT_ONCE} streams of ${long.pieces} pieces, as fast as the model can write`,
  });
  return [
    added('/v1: first byte of a streamed answer, over the proxy', first, 'v1'),
    added('the same with a token that has every cap', first, 'capped'),
    added('/v1: a whole answer, over the proxy', whole, 'v1'),
    used('/v1: CPU ms for 1,000 streamed pieces, by the completions of svc', 'v1'),
    used('the same with a token that has every cap', 'capped'),
  ];
}

const noTimes = (): Times => ({ direct: [], proxy: [], completions: [], v1: [], capped: [] });

/** The same daemon at /v1, with a new API token. */
async function withToken({ server }: Way, caps: object): Promise<Way> {
  const response = await fetch(`${server.url}/api/tokens`, {
    method: 'POST',
    headers: { ...server.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', scopes: ['models:use'], ...caps }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { token } = (await response.json()) as { token: string };
  return {
    server: { ...server, headers: { authorization: `Bearer ${token}` } },
    path: '/v1/chat/completions',
  };
}

/** The record of the call before is on the disk then, which is not a part of the next one. */
async function untilIdle(way: Way): Promise<void> {
  await setTimeout(IDLE_MS);
  await cpuOf(way);
}

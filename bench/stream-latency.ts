import {
  ask,
  cpuOfPieces,
  listen,
  type Speech,
  startBefore,
  startCompletions,
  startModel,
  type Way,
} from './model-load.ts';
import { type Figure, median } from './report.ts';

const ROUNDS = 6;
const ASKED = 40;
const AT_ONCE = 20;
const BURSTS = 6;
const short: Speech = { pieces: 3, everyMs: 1 };
/** As fast as it can be written, so that several pieces come at once. */
const long: Speech = { pieces: 200, everyMs: 0 };

type Name = 'direct' | 'pass' | 'portkey' | 'svc';
type Ways = Record<Name, Way>;
type Times = Record<Name, number[]>;

/** Completions of a model on this machine: what a call through svc adds to a direct one, beside other proxies. */
export async function streamLatency(): Promise<Figure[]> {
  const direct = await startModel();
  const ways: Ways = {
    direct,
    pass: await startBefore(direct, 'pass-through'),
    portkey: await startBefore(direct, 'portkey'),
    svc: await startCompletions(direct),
  };
  const one = noTimes();
  const many = noTimes();
  const plain = noTimes();
  const cpu = noTimes();
  for (let round = 0; round < ROUNDS; round++) {
    const isWarm = round > 0;
    const add = (times: Times, measured: Times) => {
      if (isWarm) for (const name of names(times)) times[name].push(median(measured[name]));
    };
    add(one, await inTurn(ways, ASKED, async (way) => [(await listen(way, short)).firstByte]));
    add(plain, await inTurn(ways, ASKED, async (way) => [await ask(way)]));
    add(many, await inTurn(ways, BURSTS, async (way) => (await together(way, short)).map(firstByte)));
    add(
      cpu,
      await inTurn(ways, 1, async (way, name) => [
        name === 'direct' ? 0 : await cpuOfPieces(way, AT_ONCE, long),
      ]),
    );
  }
  for (const name of names(ways)) await ways[name].server.stop();
  const added = (times: Times, name: Name) =>
    median(times[name].map((time, round) => time - (times.direct[round] ?? Number.NaN)));
  const figure = (
    name: string,
    times: Times,
    bound: Figure['bound'],
    value = added(times, 'svc'),
  ): Figure => ({
    name,
    ours: `+ ${added(times, 'svc').toFixed(1)} ms`,
    baseline: `pass-through + ${added(times, 'pass').toFixed(1)}, Portkey + ${added(times, 'portkey').toFixed(1)} ms`,
    value,
    bound,
    note: `direct ${median(times.direct).toFixed(1)} ms`,
  });
  const byPortkey = added(many, 'svc') / added(many, 'portkey');
  return [
    figure('first byte of a streamed completion, p50', one, { most: 5 }),
    figure(`the same, ${AT_ONCE} at once, by Portkey`, many, { most: 1 }, byPortkey),
    figure('a whole completion, p50', plain, { most: 5 }),
    {
      name: `CPU ms for 1,000 streamed pieces, ${AT_ONCE} streams of ${long.pieces}`,
      ours: median(cpu.svc).toFixed(1),
      baseline: `pass-through ${median(cpu.pass).toFixed(1)}, Portkey ${median(cpu.portkey).toFixed(1)}`,
      value: median(cpu.svc),
      bound: { most: 45 },
      note: 'as fast as the model can write',
    },
  ];
}

const noTimes = (): Times => ({ direct: [], pass: [], portkey: [], svc: [] });
const names = (record: Record<Name, unknown>) => Object.keys(record) as Name[];
const firstByte = (heard: { firstByte: number }) => heard.firstByte;

/** Every way in turn, again and again, so that what else the machine does meets all of them. */
async function inTurn(
  ways: Ways,
  times: number,
  measure: (way: Way, name: Name) => Promise<number[]>,
): Promise<Times> {
  const measured = noTimes();
  for (let time = 0; time < times; time++)
    for (const name of names(ways)) measured[name].push(...(await measure(ways[name], name)));
  return measured;
}

const together = (way: Way, speech: Speech) =>
  Promise.all(Array.from({ length: AT_ONCE }, () => listen(way, speech)));

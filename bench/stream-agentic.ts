import {
  cpuOf,
  type Heard,
  listen,
  listenToTurn,
  type Speech,
  startCompletions,
  startModel,
  type Way,
} from './model-load.ts';
import { type Figure, median } from './report.ts';

const ROUNDS = 6;
const ASKED = 15;
const AT_ONCE = 20;
const BURSTS = 4;
const short: Speech = { pieces: 3, everyMs: 1 };
/** As fast as it can be written, so that several pieces come at once. */
const long: Speech = { pieces: 200, everyMs: 0 };

type Kind = 'completion' | 'turn';
type Listen = (way: Way, speech: Speech) => Promise<Heard>;
const kinds: [Kind, Listen][] = [
  ['completion', listen],
  ['turn', listenToTurn],
];
type Times = Record<Kind, number[]>;

/** Agentic turns beside completions through the same daemon: what the task, its run and its stored events cost. */
export async function streamAgentic(): Promise<Figure[]> {
  const model = await startModel();
  let svc: Way | undefined;
  try {
    svc = await startCompletions(model);
    return await measure(svc);
  } finally {
    await svc?.server.stop();
    await model.server.stop();
  }
}

async function measure(svc: Way): Promise<Figure[]> {
  const alone: Times = { completion: [], turn: [] };
  const many: Times = { completion: [], turn: [] };
  const cpu: Times = { completion: [], turn: [] };
  for (let round = 0; round < ROUNDS; round++) {
    // The first round only warms up.
    const isWarm = round > 0;
    for (const [kind, listener] of kinds) {
      const ones: number[] = [];
      for (let asked = 0; asked < ASKED; asked++) ones.push((await listener(svc, short)).firstPiece);
      const bursts: number[] = [];
      for (let burst = 0; burst < BURSTS; burst++)
        bursts.push(...(await together(svc, listener, short)).map(({ firstPiece }) => firstPiece));
      const before = await cpuOf(svc);
      await together(svc, listener, long);
      const used = ((await cpuOf(svc)) - before) / ((AT_ONCE * long.pieces) / 1000);
      if (!isWarm) continue;
      alone[kind].push(median(ones));
      many[kind].push(median(bursts));
      cpu[kind].push(used);
    }
  }
  const firstPiece = (name: string, times: Times): Figure => ({
    name,
    ours: `${median(times.turn).toFixed(1)} ms`,
    baseline: `a completion ${median(times.completion).toFixed(1)} ms`,
    value: median(times.turn.map((time, round) => time / (times.completion[round] ?? Number.NaN))),
    bound: { most: 1.5 },
  });
  return [
    firstPiece('first text of an agentic turn, p50, by that of a completion', alone),
    firstPiece(`the same, ${AT_ONCE} at once`, many),
    {
      name: `CPU ms for 1,000 streamed pieces of agentic turns, ${AT_ONCE} turns of ${long.pieces}`,
      ours: median(cpu.turn).toFixed(1),
      baseline: `completions ${median(cpu.completion).toFixed(1)}`,
      value: median(cpu.turn),
      bound: { most: 60 },
      note: 'with what the turns store',
    },
  ];
}

const together = (way: Way, listener: Listen, speech: Speech) =>
  Promise.all(Array.from({ length: AT_ONCE }, () => listener(way, speech)));

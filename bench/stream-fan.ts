import { setTimeout as delay } from 'node:timers/promises';
import { listen, startBefore, startCompletions, startModel, type Way } from './model-load.ts';
import { type Figure, median, percentile } from './report.ts';

const STREAMS = 100;
const EVERY_MS = 20;
const SECONDS = 8;
const RUNS = 3;
/** Their pieces come at all times, not all at once. */
const APART_MS = 10.2;

/** From the moment in which a model writes a piece to the one in which the client has it, through one daemon. */
export async function streamFan(): Promise<Figure[]> {
  const model = await startModel();
  const pass = await startBefore(model, 'pass-through');
  const svc = await startCompletions(model);
  const ours: number[][] = [];
  const theirs: number[][] = [];
  for (let run = 0; run <= RUNS; run++) {
    const baseline = await delays(pass);
    const measured = await delays(svc);
    // The first pair only warms both up.
    if (run > 0) {
      theirs.push(baseline);
      ours.push(measured);
    }
  }
  for (const way of [pass, svc, model]) await way.server.stop();
  const at = (share: number, runs: number[][]) => median(runs.map((run) => percentile(run, share)));
  const text = (runs: number[][]) => `p50 ${at(0.5, runs).toFixed(1)}, p99 ${at(0.99, runs).toFixed(1)} ms`;
  return [
    {
      name: `model wrote → client has it, ${STREAMS} streams at ${1000 / EVERY_MS} tokens/s each, p99`,
      ours: text(ours),
      baseline: `pass-through ${text(theirs)}`,
      value: at(0.99, ours),
      bound: { most: 20 },
      note: `${ours.flat().length} pieces, each on its own`,
    },
  ];
}

async function delays(way: Way): Promise<number[]> {
  const speech = { pieces: (SECONDS * 1000) / EVERY_MS, everyMs: EVERY_MS };
  const heard = await Promise.all(
    Array.from({ length: STREAMS }, async (_, stream) => {
      await delay(stream * APART_MS);
      return listen(way, speech);
    }),
  );
  return heard.flatMap((each) => each.delays);
}

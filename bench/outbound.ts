import { startServer } from './child.ts';
import { type Figure, median, percentile } from './report.ts';

const RUNS = 5;
const DELIVERIES = 5000;
const WEBHOOKS = 50;

/** Deliveries of webhooks through the rows, beside bare signed posts; and how long live receivers wait beside dead ones. */
export async function outbound(): Promise<Figure[]> {
  const receiver = await startServer('receiver');
  const environment = {
    BENCH_RECEIVER: receiver.url,
    BENCH_COUNT: String(DELIVERIES),
    BENCH_CONCURRENCY: String(WEBHOOKS),
  };
  const bare = await startServer('bare-posts', environment);
  const svc = await startServer('svc-deliverer', environment);
  const deliver = async (count: number, live: number, dead = 0) =>
    (await svc.ask(JSON.stringify({ count, live, dead }))) as { ms: number; commits: number; rss: number };
  const ours: number[] = [];
  const theirs: number[] = [];
  let commits = 0;
  for (let run = 0; run <= RUNS; run++) {
    const { ms: baseline } = (await bare.ask('run')) as { ms: number };
    const measured = await deliver(DELIVERIES / WEBHOOKS, WEBHOOKS);
    // The first pair only warms both up.
    if (run === 0) continue;
    theirs.push((DELIVERIES / baseline) * 1000);
    ours.push((DELIVERIES / measured.ms) * 1000);
    commits += measured.commits;
  }
  await receiver.ask('forget');
  await deliver(1, 100, 100);
  const { delays } = (await receiver.ask('delays')) as { delays: number[] };
  const { rss } = await deliver(1, 100, 1000);
  const { delays: beside1000 } = (await receiver.ask('delays')) as { delays: number[] };
  await Promise.all([svc.stop(), bare.stop(), receiver.stop()]);
  return [
    {
      name: `deliveries of webhooks, durable, ${WEBHOOKS} receivers`,
      ours: `${median(ours).toFixed(0)}/s`,
      baseline: `bare signed posts ${median(theirs).toFixed(0)}/s`,
      value: median(ours.map((rate, run) => rate / (theirs[run] ?? Number.NaN))),
      bound: { least: 0.2 },
      note: `each stored, sent, recorded; ${(commits / RUNS / DELIVERIES).toFixed(3)} commits`,
    },
    {
      name: 'event → 100 live receivers beside 100 that never answer, p99',
      ours: `${percentile(delays, 0.99).toFixed(0)} ms`,
      baseline: '',
      value: percentile(delays, 0.99),
      bound: { most: 2000 },
      note: 'nothing is known of any of them before',
    },
    {
      name: 'the same beside 1,000, with those before',
      ours: `${percentile(beside1000, 0.99).toFixed(0)} ms`,
      baseline: '',
      value: percentile(beside1000, 0.99),
      bound: { most: 6000 },
      note: `RSS ${(rss / 2 ** 20).toFixed(0)} MiB`,
    },
  ];
}

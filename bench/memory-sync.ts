import { startServer } from './child.ts';
import { type Figure, median } from './report.ts';

const FILES = 10_000;
const RUNS = 5;

interface Synced {
  ms: number;
  againMs: number;
  rss: number;
  fileCount: number;
  chunkCount: number;
}

/** A sync of real files beside only reading, cutting and putting them in an FTS5 table; and one more, with nothing new. */
export async function memorySync(): Promise<Figure[]> {
  const index = await startServer('synced-index', { BENCH_COUNT: String(FILES) });
  const words: number[] = [];
  const texts: number[] = [];
  const runs: Synced[] = [];
  for (let run = 0; run < RUNS; run++) {
    words.push(((await index.ask('words')) as { ms: number }).ms);
    texts.push(((await index.ask('texts')) as { ms: number }).ms);
    runs.push((await index.ask('sync')) as Synced);
  }
  await index.stop();
  const { chunkCount = 0, fileCount = 0 } = runs[0] ?? {};
  const rate = (ms: number) => `${((chunkCount / ms) * 1000).toFixed(0)} chunks/s`;
  const again = median(runs.map(({ againMs }) => againMs));
  const ours = rate(median(runs.map(({ ms }) => ms)));
  const ratioTo = (plain: number[]) => median(runs.map(({ ms }, run) => (plain[run] ?? Number.NaN) / ms));
  return [
    {
      name: `sync of ${fileCount} real files, ${chunkCount} chunks`,
      ours,
      baseline: `reading, cutting, FTS5 of words alone ${rate(median(words))}`,
      value: ratioTo(words),
      bound: { least: 0.6 },
      note: `while nobody else asks; RSS ${((runs[0]?.rss ?? 0) / 2 ** 20).toFixed(0)} MiB after the first`,
    },
    {
      name: 'the same',
      ours,
      baseline: `reading, cutting, FTS5 with the texts ${rate(median(texts))}`,
      value: ratioTo(texts),
      bound: { least: 0.6 },
    },
    {
      name: 'the same once more, nothing changed',
      ours: `${again.toFixed(0)} ms`,
      baseline: '',
      value: again,
      bound: { most: 3000 },
      note: `${((again / fileCount) * 1000).toFixed(0)} µs for a file`,
    },
  ];
}

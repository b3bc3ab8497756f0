import { startServer } from './child.ts';
import { type Figure, median } from './report.ts';

const FILES = 20_000;
const RUNS = 3;

interface Synced {
  ms: number;
  againMs: number;
  rss: number;
  fileCount: number;
  chunkCount: number;
}

/** A sync of a folder beside only reading, cutting and putting in an ordinary FTS5 table what is in it; and one more, with nothing new. */
export async function memorySync(): Promise<Figure[]> {
  const index = await startServer('synced-index', { BENCH_COUNT: String(FILES) });
  const plain: number[] = [];
  const runs: Synced[] = [];
  for (let run = 0; run < RUNS; run++) {
    plain.push(((await index.ask('plain')) as { ms: number }).ms);
    runs.push((await index.ask('sync')) as Synced);
  }
  await index.stop();
  const { chunkCount = 0, fileCount = 0 } = runs[0] ?? {};
  const rate = (ms: number) => `${((fileCount / ms) * 1000).toFixed(0)} files/s`;
  const again = median(runs.map(({ againMs }) => againMs));
  return [
    {
      name: `sync of ${fileCount} files, ${chunkCount} chunks`,
      ours: rate(median(runs.map(({ ms }) => ms))),
      baseline: `plain reading, cutting, FTS5 ${rate(median(plain))}`,
      value: median(runs.map(({ ms }, run) => (plain[run] ?? Number.NaN) / ms)),
      bound: { least: 0.5 },
      note: `while nobody else asks; RSS ${((runs[0]?.rss ?? 0) / 2 ** 20).toFixed(0)} MiB after the first`,
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

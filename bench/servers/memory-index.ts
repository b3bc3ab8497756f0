import { IndexClient } from '../../src/core/memory/index/index-client.ts';
import { silentLog } from '../../src/core/log.ts';
import { DIMENSIONS, randomNumbers, randomWords, spreads } from '../memory-data.ts';

const MODEL = 'clustered';
const SEARCHES = 200;

process.on('message', () => void measure().then((measured) => process.send?.(measured)));
process.on('SIGTERM', () => process.exit(0));
process.send?.({ url: '', headers: {} });

/** What the thread adds to a process that has everything else loaded already. */
async function measure(): Promise<{ addedMiB: number; warmMs: number }> {
  const index = new IndexClient({
    options: { file: process.env['BENCH_INDEX'] ?? '', protectedDirectories: [], cacheMiB: 16 },
    log: silentLog,
    onStart: () => undefined,
    onProgress: () => undefined,
    onChange: () => undefined,
  });
  const random = randomNumbers(2);
  const next = spreads[MODEL]?.(random) ?? (() => new Float32Array(DIMENSIONS));
  const before = process.memoryUsage().rss;
  const began = performance.now();
  await index.call('warm', MODEL);
  const warmMs = performance.now() - began;
  for (let n = 0; n < SEARCHES; n++) {
    const vector = { model: MODEL, values: next() };
    await index.call('search', { text: randomWords(random, 6), vector, maxResults: 10, minScore: 0 });
  }
  return { addedMiB: (process.memoryUsage().rss - before) / 2 ** 20, warmMs };
}

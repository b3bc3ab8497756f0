import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { SearchMethod } from '../src/contract/memory.ts';
import { openIndexDatabase } from '../src/core/memory/index/index-database.ts';
import { IndexSearch } from '../src/core/memory/index/index-search.ts';
import { KeywordIndex } from '../src/core/memory/index/keyword-index.ts';
import { toBlob, toFloats } from '../src/core/memory/index/unit-vector.ts';
import { VectorIndex } from '../src/core/memory/index/vector-index.ts';
import { startServer } from './child.ts';
import { CHUNKS, DIMENSIONS, fillIndex, spreads } from './memory-data.ts';
import { type Figure, median } from './report.ts';

/** Exact scans are slow, so that fewer queries have to do for what is held against them. */
const EXACT_QUERIES = 20;
const WANTED = 10;

type Queries = { text: string; values: Float32Array }[];

/** Searches of 100,000 chunks with vectors of 384 dimensions, beside exact scans of them. */
export async function memoryHybrid(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const file = join(folder, 'memory.db');
  try {
    const queries = fillIndex(file);
    const figures = Object.keys(spreads).flatMap((model) => measure(file, model, queries[model] ?? []));
    return [...figures, await residentFigure(file)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measure(file: string, model: string, queries: Queries): Figure[] {
  const database = openIndexDatabase(file, 16);
  const vectors = new VectorIndex(database, 'chunks');
  const search = new IndexSearch({ keywords: new KeywordIndex(database, 'chunk_words'), vectors });
  const find = ({ text, values }: Queries[number], method: SearchMethod) =>
    search.search({ text, vector: { model, values }, method, maxResults: WANTED, minScore: 0 }).hits;
  const times = (method: SearchMethod) => {
    const [first] = queries;
    if (first) find(first, method);
    return median(queries.map((query) => time(() => find(query, method))));
  };
  const p50 = { keyword: times('keyword'), vector: times('vector'), hybrid: times('hybrid') };
  const exact = exactly(database, model, queries.slice(0, EXACT_QUERIES));
  const found = queries.slice(0, EXACT_QUERIES).flatMap((query, n) => {
    const ids = new Set(find(query, 'vector').map(({ id }) => id));
    return exact.found[n]?.filter((id) => ids.has(id)) ?? [];
  });
  database.close();
  const figure = (name: string, ms: number, most: number): Figure => ({
    name: `${name}, 100,000 chunks, p50`,
    ours: `${ms.toFixed(1)} ms`,
    baseline: `exact scan: sqlite-vec ${exact.sqliteMs.toFixed(0)} ms, JavaScript ${exact.scriptMs.toFixed(0)} ms`,
    value: ms,
    bound: { most },
    note: `${model} vectors of ${DIMENSIONS}`,
  });
  return [
    { ...figure('search by keywords', p50.keyword, 30), baseline: '', note: '6 words' },
    figure('search by vectors', p50.vector, 15),
    figure('hybrid search', p50.hybrid, 30),
    {
      name: `recall@${WANTED} of the search by vectors`,
      ours: (found.length / EXACT_QUERIES / WANTED).toFixed(3),
      baseline: 'exact scan',
      value: found.length / EXACT_QUERIES / WANTED,
      bound: { least: 0.95 },
      note: `${model} vectors`,
    },
  ];
}

/** What all vectors on the disk, and in memory, say when each is measured. */
function exactly(database: DatabaseSync, model: string, queries: Queries) {
  const select = database.prepare(
    `select c.id from vectors v join chunks c on c.text_hash = v.text_hash where v.model = ?
     order by vec_distance_cosine(v.vector, ?) limit ${WANTED}`,
  );
  const scan = database.prepare(
    `select id from vectors not indexed where model = ? order by vec_distance_cosine(vector, ?) limit ${WANTED}`,
  );
  const vectors = new Float32Array(CHUNKS * DIMENSIONS);
  let from = 0;
  for (const { vector } of database.prepare('select vector from vectors where model = ?').iterate(model)) {
    vectors.set(toFloats(vector as Uint8Array), from);
    from += DIMENSIONS;
  }
  const sqlite = queries.map(({ values }) => time(() => scan.all(model, toBlob(values))));
  const script = queries.map(({ values }) => time(() => best(vectors, values)));
  return {
    found: queries.map(({ values }) => select.all(model, toBlob(values)).map(({ id }) => Number(id))),
    sqliteMs: median(sqlite),
    scriptMs: median(script),
  };
}

function best(vectors: Float32Array, query: Float32Array): number {
  let most = -Infinity;
  for (let from = 0; from < vectors.length; from += DIMENSIONS) {
    let sum = 0;
    for (let i = 0; i < DIMENSIONS; i++) sum += (vectors[from + i] ?? 0) * (query[i] ?? 0);
    most = Math.max(most, sum);
  }
  return most;
}

async function residentFigure(file: string): Promise<Figure> {
  const index = await startServer('memory-index', { BENCH_INDEX: file });
  const { addedMiB, warmMs } = (await index.ask('measure')) as { addedMiB: number; warmMs: number };
  await index.stop();
  return {
    name: 'RSS that the thread of the index adds, 100,000 chunks searched',
    ours: `${addedMiB.toFixed(0)} MiB`,
    baseline: '',
    value: addedMiB,
    bound: { most: 150 },
    note: `ready for the first search after ${(warmMs / 1000).toFixed(1)} s`,
  };
}

function time(call: () => unknown): number {
  const began = performance.now();
  call();
  return performance.now() - began;
}

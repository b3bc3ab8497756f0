import { hashText } from '../src/core/memory/index/hash-text.ts';
import { openIndexDatabase } from '../src/core/memory/index/index-database.ts';
import { KeywordIndex } from '../src/core/memory/index/keyword-index.ts';
import { VectorStore } from '../src/core/memory/index/vector-store.ts';

export const CHUNKS = 100_000;
export const DIMENSIONS = 384;
const CHUNKS_PER_FILE = 10;
const WORDS_PER_CHUNK = 220;
const VOCABULARY = 40_000;
const CLUSTERS = 1000;
const BATCH = 500;

/** The same numbers for the same seed, between 0 and 1 (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Words as frequent as in languages: the nth a nth as often as the first. */
export function randomWords(random: () => number, count: number): string {
  const word = () => `w${Math.floor(VOCABULARY ** random()).toString(36)}x`;
  return Array.from({ length: count }, word).join(' ');
}

type Vectors = () => Float32Array;

/** How vectors can be spread: the names are those of the models that they are stored under. */
export const spreads: Record<string, (random: () => number) => Vectors> = {
  isotropic: (random) => () => gaussian(random),
  clustered: (random) => {
    const centers = Array.from({ length: CLUSTERS }, () => gaussian(random));
    return () => sum(centers[Math.floor(random() * CLUSTERS)], gaussian(random), 0.5);
  },
  'off-centre': (random) => {
    const center = gaussian(random).map((value) => 2 * value);
    return () => sum(center, gaussian(random), 1);
  },
};

function gaussian(random: () => number): Float32Array {
  return Float32Array.from(
    { length: DIMENSIONS },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

function sum(center: Float32Array | undefined, around: Float32Array, share: number): Float32Array {
  return around.map((value, i) => share * value + (center?.[i] ?? 0));
}

/** An index as syncs leave it, with the same texts as vectors of each spread. Answers queries that fit them. */
export function fillIndex(file: string): Record<string, { text: string; values: Float32Array }[]> {
  const database = openIndexDatabase(file, 16);
  const random = randomNumbers(1);
  const words = new KeywordIndex(database, 'chunk_words');
  const store = new VectorStore(database);
  const addFile = database.prepare(
    `insert into files (id, path, hash, size, stamp, chunk_count, updated_at) values (?, ?, '', 0, '', ${CHUNKS_PER_FILE}, '')`,
  );
  const addChunk = database.prepare(
    `insert into chunks (id, file_id, ordinal, start_line, end_line, heading, text, text_hash) values (?, ?, ?, 1, 9, '', ?, ?)`,
  );
  const hashes: string[] = [];
  database.exec('begin');
  for (let id = 1; id <= CHUNKS; id++) {
    const fileId = Math.ceil(id / CHUNKS_PER_FILE);
    const place = `/data/folder-${fileId % 100}/file-${fileId}.md`;
    if (id % CHUNKS_PER_FILE === 1) addFile.run(fileId, place);
    const body = randomWords(random, WORDS_PER_CHUNK);
    const hash = hashText(body);
    addChunk.run(id, fileId, id % CHUNKS_PER_FILE, body, hash);
    words.add(id, { label: place, heading: '', body });
    hashes.push(hash.toString('hex'));
  }
  database.exec('commit');
  const queries: Record<string, { text: string; values: Float32Array }[]> = {};
  for (const [model, spread] of Object.entries(spreads)) {
    const next = spread(random);
    for (let from = 0; from < CHUNKS; from += BATCH)
      store.put(
        model,
        hashes.slice(from, from + BATCH).map((hash) => ({ hash, values: next() })),
      );
    queries[model] = Array.from({ length: 100 }, () => ({ text: randomWords(random, 6), values: next() }));
  }
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  return queries;
}

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { openIndexDatabase } from '../src/core/memory/index/index-database.ts';
import { KeywordIndex } from '../src/core/memory/index/keyword-index.ts';
import { stopWords } from '../src/core/memory/index/stop-words.ts';
import { irCollection, ndcgAt10 } from '../test/helpers/ir-collection.ts';
import { type Figure, median, percentile } from './report.ts';

const CHUNKS = 100_000;
const QUESTIONS = 60;
const CACHE_MIB = 32;
const collection = new URL('../../shared/fixtures/ir/cacm/', import.meta.url);

interface Text {
  heading: string;
  body: string;
}
interface Corpus {
  name: string;
  text: () => Text;
  questions: string[];
}

/** Questions by keywords over 100,000 chunks, beside SQLite's full-text search with all words and beside MiniSearch. */
export async function memoryKeyword(): Promise<Figure[]> {
  const random = seeded(1);
  const corpora = [zipf(random), ...(existsSync(collection) ? [recombined(random)] : [])];
  return [...corpora.flatMap(measure), ...(existsSync(collection) ? [quality()] : [])];
}

function measure({ name, text, questions }: Corpus, at: number): Figure[] {
  const isFirst = at === 0;
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const database = openIndexDatabase(join(home, 'memory.db'), CACHE_MIB);
  const index = new KeywordIndex(database, 'chunk_words');
  const mini = new MiniSearch<Text & { id: number }>({ fields: ['heading', 'body'] });
  const texts = Array.from({ length: CHUNKS }, text);
  const rssOfIndex = rssOf(() => fill(database, index, texts));

  const raw = database.prepare(
    'select rowid, bm25(chunk_words) as rank from chunk_words where chunk_words match ? order by rank limit 6',
  );
  const all = (question: string) => {
    const words = new Set(question.toLowerCase().match(/[a-z0-9]+/g));
    return raw.all([...words].map((word) => `"${word}"`).join(' OR '));
  };
  const ours = (question: string) => index.search(index.wordsOf(question), { limit: 6 });
  const cpu: number[] = [];
  const first = times(questions, ours, cpu);
  const again = times(questions, ours);
  const plain = times(questions.slice(0, QUESTIONS / 3), all);
  database.close();
  rmSync(home, { recursive: true });

  const rssOfMini = rssOf(() => mini.addAll(texts.map((one, id) => ({ ...one, id }))));
  const others = times(questions.slice(0, QUESTIONS / 3), (question) => mini.search(question));
  return [
    figure(`${name}: question p50, words seen before`, percentile(again, 0.5), plain, 15),
    figure(`${name}: question p95, words seen before`, percentile(again, 0.95), plain, 60),
    figure(`${name}: question p50, each for the first time`, percentile(first, 0.5), plain, 15),
    {
      ...figure(`${name}: question p95, each for the first time`, percentile(first, 0.95), plain, 25),
      note: `CPU p95 ${percentile(cpu, 0.95).toFixed(1)} ms`,
    },
    {
      name: `${name}: question p50 beside MiniSearch`,
      ours: `${median(again).toFixed(1)} ms`,
      baseline: `${median(others).toFixed(1)} ms`,
      value: median(again) / median(others),
      bound: { most: 1 },
    },
    // What one corpus leaves behind hides what the next one takes.
    ...(isFirst ? [memory(rssOfIndex, rssOfMini)] : []),
  ];
}

const memory = (rssOfIndex: number, rssOfMini: number): Figure => ({
  name: 'RSS of the index',
  ours: `${rssOfIndex.toFixed(0)} MiB`,
  baseline: `MiniSearch ${rssOfMini.toFixed(0)} MiB`,
  value: rssOfIndex,
  bound: { most: 100 },
});

/** What leaving the stop words out costs in what is found. */
function quality(): Figure {
  const { docs, queries, relevant } = irCollection('cacm') ?? {
    docs: [],
    queries: [],
    relevant: new Map<string, Set<string>>(),
  };
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const database = openIndexDatabase(join(home, 'memory.db'), CACHE_MIB);
  const index = new KeywordIndex(database, 'chunk_words');
  for (const [at, { id, title, text }] of docs.entries())
    index.add(at + 1, { label: `${id}.md`, heading: title, body: text });
  const ndcgOf = (wordsOf: (question: string) => string[]) =>
    ndcgAt10(
      relevant,
      new Map(
        queries.map(({ id, text }) => {
          const { ranked } = index.search({ words: wordsOf(text), leftOut: [] }, { limit: 10 });
          return [id, ranked.map((one) => docs[one.id - 1]?.id ?? '')];
        }),
      ),
    );
  const without = ndcgOf((question) => index.wordsOf(question).words);
  const withAll = ndcgOf((question) => [...new Set(question.toLowerCase().match(/[a-z0-9]+/g))]);
  database.close();
  rmSync(home, { recursive: true });
  return {
    name: 'CACM: nDCG@10, stop words left out',
    ours: without.toFixed(4),
    baseline: `${withAll.toFixed(4)} with all words`,
    value: without / withAll,
    bound: { least: 1 },
  };
}

function figure(name: string, value: number, plain: number[], most: number): Figure {
  const baseline = `FTS5 with all words ${percentile(plain, 0.5).toFixed(0)} ms (p95 ${percentile(plain, 0.95).toFixed(0)})`;
  return { name, ours: `${value.toFixed(1)} ms`, baseline, value, bound: { most } };
}

function fill(database: DatabaseSync, index: KeywordIndex, texts: Text[]): void {
  database.exec('begin');
  for (const [at, text] of texts.entries()) {
    index.add(at + 1, { label: `/data/part${at % 300}/file${at}.md`, ...text });
    if (at % 1000 === 0) database.exec('commit; begin');
  }
  database.exec('commit');
}

/** Milliseconds of each question; those of CPU are added to `cpu`. */
function times(questions: string[], ask: (question: string) => unknown, cpu: number[] = []): number[] {
  return questions.map((question) => {
    const before = cpuOfThread();
    const began = performance.now();
    ask(question);
    const ms = performance.now() - began;
    cpu.push(cpuOfThread() - before);
    return ms;
  });
}

function cpuOfThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function rssOf(build: () => void): number {
  const before = process.memoryUsage().rss;
  build();
  return (process.memoryUsage().rss - before) / 2 ** 20;
}

/** Words as frequent as in a language, by Zipf's law; questions are made of them and of stop words. */
function zipf(random: () => number): Corpus {
  const vocabulary = 50_000;
  const grammar = [...stopWords];
  const word = () => {
    const rank = Math.floor(Math.exp(random() * Math.log(vocabulary)));
    return rank < 60
      ? (grammar[rank] ?? '')
      : `${rank.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')}`;
  };
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
  return {
    name: 'words by Zipf',
    text: () => ({ heading: words(6), body: words(200) }),
    questions: Array.from({ length: QUESTIONS }, () => `How do I ${words(14)}?`),
  };
}

/** Sentences of a real collection in another order, with its questions. */
function recombined(random: () => number): Corpus {
  const lines = (file: string) => readFileSync(new URL(file, collection), 'utf8').trim().split('\n');
  const docs = lines('corpus.jsonl').map((line) => JSON.parse(line) as { title: string; text: string });
  const sentences = docs.flatMap(({ text }) => text.split(/(?<=[.?!])\s+|\n\n/));
  const one = () => sentences[Math.floor(random() * sentences.length)] ?? '';
  return {
    name: 'sentences recombined',
    text: () => ({
      heading: docs[Math.floor(random() * docs.length)]?.title ?? '',
      body: Array.from({ length: 6 }, one).join('\n'),
    }),
    questions: lines('queries.jsonl').map((line) => (JSON.parse(line) as { text: string }).text),
  };
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

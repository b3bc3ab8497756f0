import { hasSharedFixtures, sharedText } from './shared-fixture.ts';

export interface Collection {
  docs: { id: string; title: string; text: string }[];
  queries: { id: string; text: string }[];
  /** By query: the documents that answer it. */
  relevant: Map<string, Set<string>>;
}

const lines = (path: string) => (sharedText(path) ?? '').trim().split('\n');

/** A collection of documents and questions with the answers that people gave; undefined where there are no fixtures. */
export function irCollection(name: string): Collection | undefined {
  if (!hasSharedFixtures) return undefined;
  const relevant = new Map<string, Set<string>>();
  for (const line of lines(`ir/${name}/qrels.tsv`)) {
    const [query = '', doc = '', grade] = line.split('\t');
    if (Number(grade) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(doc));
  }
  return {
    docs: lines(`ir/${name}/corpus.jsonl`).map((line) => JSON.parse(line) as Collection['docs'][number]),
    queries: lines(`ir/${name}/queries.jsonl`).map(
      (line) => JSON.parse(line) as Collection['queries'][number],
    ),
    relevant,
  };
}

/** The mean nDCG at 10 over the questions that have answers, 0 to 1. */
export function ndcgAt10(relevant: Collection['relevant'], found: Map<string, string[]>): number {
  const gain = (place: number) => 1 / Math.log2(place + 2);
  const scores = [...relevant].map(([query, docs]) => {
    const got = (found.get(query) ?? [])
      .slice(0, 10)
      .reduce((sum, doc, place) => sum + (docs.has(doc) ? gain(place) : 0), 0);
    const ideal = [...docs].slice(0, 10).reduce((sum, _, place) => sum + gain(place), 0);
    return got / ideal;
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { indexTerm } from './index-words.ts';

const MAX_CACHED = 10_000;

/** Stems words with the tokenizer of the index itself, so that they always match. */
export class Stems {
  readonly #statements: Record<'put' | 'read' | 'clear', StatementSync>;
  readonly #cache = new Map<string, string>();

  /** `tokenizer` is that of the index. */
  constructor(database: DatabaseSync, tokenizer: string) {
    database.exec(`
      create virtual table if not exists temp.stems using fts5(word, content='', tokenize="${tokenizer}");
      create virtual table if not exists temp.stemmed using fts5vocab('temp', 'stems', 'row');
    `);
    this.#statements = {
      put: database.prepare('insert into temp.stems (rowid, word) values (1, ?)'),
      read: database.prepare('select term from temp.stemmed'),
      clear: database.prepare("insert into temp.stems (stems) values ('delete-all')"),
    };
  }

  of(word: string): string {
    const cached = this.#cache.get(word);
    if (cached !== undefined) return cached;
    const { put, read, clear } = this.#statements;
    put.run(indexTerm(word));
    const stem = String(read.get()?.['term'] ?? '');
    clear.run();
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(word, stem);
    return stem;
  }
}

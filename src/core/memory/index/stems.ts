import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { indexTerm } from './index-words.ts';

const MOST_KEPT = 10_000;

/** Words as the tokenizer of the index stems them, found out by letting it: only so are they surely the same. */
export class Stems {
  readonly #statements: Record<'put' | 'read' | 'clear', StatementSync>;
  readonly #kept = new Map<string, string>();

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
    const kept = this.#kept.get(word);
    if (kept !== undefined) return kept;
    const { put, read, clear } = this.#statements;
    put.run(indexTerm(word));
    const stem = String(read.get()?.['term'] ?? '');
    clear.run();
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(word, stem);
    return stem;
  }
}

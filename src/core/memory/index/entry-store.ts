import type { DatabaseSync } from 'node:sqlite';
import type { SearchMethod } from '../../../contract/memory.ts';
import type { EntryQuery, IndexEntry, MissingVector } from './index-calls.ts';
import { IndexSearch } from './index-search.ts';
import { KeywordIndex } from './keyword-index.ts';
import { hashText } from './hash-text.ts';
import { VectorIndex } from './vector-index.ts';

/** Searchable entries other than files; they live as long as the thread. */
export class EntryStore {
  readonly #database: DatabaseSync;
  readonly #onChange: () => void;
  readonly #keywords: KeywordIndex;
  readonly #vectors: VectorIndex;
  readonly #search: IndexSearch;
  constructor(database: DatabaseSync, onChange: () => void) {
    this.#database = database;
    this.#onChange = onChange;
    this.#keywords = new KeywordIndex(database, 'entry_words');
    this.#vectors = new VectorIndex(database, 'entries');
    this.#search = new IndexSearch({ keywords: this.#keywords, vectors: this.#vectors });
  }

  /** Inserts entries or replaces those with the same key. */
  put(entries: IndexEntry[]): void {
    const insert = this.#database.prepare(
      'insert into temp.entries (key, owner_id, text, text_hash) values (?, ?, ?, ?) returning id',
    );
    this.remove(entries.map(({ key }) => key));
    const added = entries.map(({ key, ownerId, title, body, tags }) => {
      const text = [title, body, ...tags].join('\n');
      const id = Number(insert.get(key, ownerId, text, hashText(text))?.['id']);
      this.#keywords.add(id, { label: tags.join(' '), heading: title, body, ownerId });
      return id;
    });
    this.#vectors.applyChange({ added, removed: [] });
    if (added.length > 0) this.#onChange();
  }

  remove(keys: string[]): void {
    const deleteByKey = this.#database.prepare('delete from temp.entries where key = ? returning id');
    const removed = keys.flatMap((key) => {
      const row = deleteByKey.get(key);
      return row ? [Number(row['id'])] : [];
    });
    for (const id of removed) this.#keywords.remove(id);
    this.#vectors.applyChange({ added: [], removed });
  }

  search({ text, vector, ownerId, limit }: EntryQuery): {
    method: SearchMethod;
    found: { key: string; score: number }[];
  } {
    const { method, hits } = this.#search.search({ text, vector, ownerId, maxResults: limit, minScore: 0 });
    const keyOf = this.#database.prepare('select key from temp.entries where id = ?');
    const found = hits.flatMap(({ id, score }) => {
      const row = keyOf.get(id);
      return row ? [{ key: String(row['key']), score }] : [];
    });
    return { method, found };
  }

  missing(model: string, limit: number): Promise<MissingVector[]> {
    return this.#vectors.missing(model, limit);
  }

  addVectors(ids: number[]): void {
    this.#vectors.applyChange({ added: ids, removed: [] });
  }

  keepVectorsOf(model: string): void {
    this.#vectors.keepOnly(model);
  }
}

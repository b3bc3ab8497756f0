import { hashText } from '../index/hash-text.ts';

const MAX_ENTRIES = 100;

/** Caches the vectors of recent queries, so that repeated searches cost nothing. */
export class QueryCache {
  readonly #vectors = new Map<string, Float32Array>();

  get(model: string, text: string): Float32Array | undefined {
    const key = keyOf(model, text);
    const vector = this.#vectors.get(key);
    if (!vector) return undefined;
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    return vector;
  }

  set(model: string, text: string, vector: Float32Array): void {
    this.#vectors.set(keyOf(model, text), vector);
    const [oldest] = this.#vectors.keys();
    if (this.#vectors.size > MAX_ENTRIES && oldest !== undefined) this.#vectors.delete(oldest);
  }

  clear(): void {
    this.#vectors.clear();
  }
}

/** Hashed, because a query may be as long as a file. */
const keyOf = (model: string, text: string): string => `${model} ${hashText(text).toString('base64')}`;

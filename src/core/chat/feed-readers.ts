/** A reader with more unread items is disconnected; it can read what is stored instead. */
const MAX_WAITING = 20_000;
/** More than the events of one answer of a model, which come at once. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;

interface Reader<T> {
  waiting: T[];
  /** How long they are together. */
  characters: number;
  /** Wakes the reader where it waits for items. */
  wake: () => void;
  isClosed: boolean;
}

/** Hands items to the readers that are connected at the moment, by key. */
export class FeedReaders<T> {
  readonly #readers = new Map<string, Set<Reader<T>>>();

  has(key: string): boolean {
    return this.#readers.has(key);
  }

  keys(): string[] {
    return [...this.#readers.keys()];
  }

  push(key: string, item: T, characters: number): void {
    for (const reader of this.#readers.get(key) ?? []) {
      const isBehind = reader.waiting.length >= MAX_WAITING || reader.characters > MAX_WAITING_CHARACTERS;
      // Nothing follows what a reader has missed.
      if (isBehind || reader.isClosed) reader.isClosed = true;
      else {
        reader.waiting.push(item);
        reader.characters += characters;
      }
      reader.wake();
    }
  }

  /** Ends the streams of a key after their last item. */
  close(key: string): void {
    for (const reader of this.#readers.get(key) ?? []) {
      reader.isClosed = true;
      reader.wake();
    }
    this.#readers.delete(key);
  }

  /** Streams `earlier`, then the items from now on, until the key is closed or the signal aborts. */
  open(key: string, signal: AbortSignal, earlier: readonly T[] = []): AsyncGenerator<T> {
    const reader: Reader<T> = {
      waiting: [...earlier],
      characters: 0,
      wake: asleep,
      isClosed: false,
    };
    const readers = this.#readers.get(key) ?? new Set();
    this.#readers.set(key, readers.add(reader));
    const leave = () => {
      signal.removeEventListener('abort', leave);
      readers.delete(reader);
      if (readers.size === 0 && this.#readers.get(key) === readers) this.#readers.delete(key);
      reader.wake();
    };
    signal.addEventListener('abort', leave);
    return read(reader, signal, leave);
  }
}

/** Of a reader that does not wait. */
const asleep = () => undefined;

async function* read<T>(reader: Reader<T>, signal: AbortSignal, leave: () => void): AsyncGenerator<T> {
  try {
    for (;;) {
      const { waiting } = reader;
      reader.waiting = [];
      reader.characters = 0;
      for (const item of waiting) yield item;
      if (reader.waiting.length > 0) continue;
      if (reader.isClosed || signal.aborted) return;
      await new Promise<void>((resolve) => (reader.wake = resolve));
      reader.wake = asleep;
    }
  } finally {
    leave();
  }
}

import { once } from 'node:events';
import type { RunEventInput, RunEvent } from '../../../contract/run-events.ts';

/** A reader with more unread events is disconnected; it can read the events of the task instead. */
const MAX_WAITING = 20_000;
/** More than the events of one answer of a model, which come at once. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;

interface Reader {
  waiting: RunEvent[];
  /** How long they are together. */
  characters: number;
  news: EventTarget;
  isClosed: boolean;
}

/** Publishes the events of runs to the readers that are connected at the moment. */
export class RunFeeds {
  readonly #now: () => Date;
  readonly #readers = new Map<string, Set<Reader>>();
  constructor(now: () => Date) {
    this.#now = now;
  }

  emit(runId: string, event: RunEventInput): void {
    const readers = this.#readers.get(runId);
    if (!readers) return;
    const timed: RunEvent = { ...event, timestamp: this.#now().getTime() };
    const { length } = JSON.stringify(timed);
    for (const reader of readers) {
      const isBehind = reader.waiting.length >= MAX_WAITING || reader.characters > MAX_WAITING_CHARACTERS;
      // Nothing follows what a reader has missed.
      if (isBehind || reader.isClosed) reader.isClosed = true;
      else {
        reader.waiting.push(timed);
        reader.characters += length;
      }
      reader.news.dispatchEvent(new Event('news'));
    }
  }

  /** Closes the feed of a run after its last event. */
  close(runId: string): void {
    for (const reader of this.#readers.get(runId) ?? []) {
      reader.isClosed = true;
      reader.news.dispatchEvent(new Event('news'));
    }
    this.#readers.delete(runId);
  }

  /** Streams the events of a run from now until it finishes or the signal aborts. */
  open(runId: string, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const reader: Reader = { waiting: [], characters: 0, news: new EventTarget(), isClosed: false };
    const readers = this.#readers.get(runId) ?? new Set();
    this.#readers.set(runId, readers.add(reader));
    const leave = () => {
      readers.delete(reader);
      if (readers.size === 0 && this.#readers.get(runId) === readers) this.#readers.delete(runId);
    };
    signal.addEventListener('abort', leave, { once: true });
    return read(reader, signal, leave);
  }
}

async function* read(reader: Reader, signal: AbortSignal, leave: () => void): AsyncGenerator<RunEvent> {
  try {
    for (;;) {
      const waiting = reader.waiting.splice(0);
      reader.characters = 0;
      for (const event of waiting) yield event;
      if (reader.waiting.length > 0) continue;
      if (reader.isClosed || signal.aborted) return;
      await once(reader.news, 'news', { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    leave();
  }
}

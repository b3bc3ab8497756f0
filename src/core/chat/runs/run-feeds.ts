import { once } from 'node:events';
import type { RunEventInput, RunEvent } from '../../../contract/run-events.ts';

/** A reader this far behind is let go: what it missed is in the task's events. */
const MAX_WAITING = 20_000;

interface Reader {
  waiting: RunEvent[];
  news: EventTarget;
  isEnded: boolean;
}

/** Passes the events of runs on to who reads along, the moment they happen; nobody has to. */
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
    for (const reader of readers) {
      if (reader.waiting.length >= MAX_WAITING) reader.isEnded = true;
      else reader.waiting.push(timed);
      reader.news.dispatchEvent(new Event('news'));
    }
  }

  /** Nothing more will come. */
  close(runId: string): void {
    for (const reader of this.#readers.get(runId) ?? []) {
      reader.isEnded = true;
      reader.news.dispatchEvent(new Event('news'));
    }
    this.#readers.delete(runId);
  }

  /** Everything that happens from this call on, until the run is over or the signal aborts. */
  open(runId: string, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const reader: Reader = { waiting: [], news: new EventTarget(), isEnded: false };
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
      for (const event of reader.waiting.splice(0)) yield event;
      if (reader.waiting.length > 0) continue;
      if (reader.isEnded || signal.aborted) return;
      await once(reader.news, 'news', { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    leave();
  }
}

import type { RunEvent } from '../../contract/run-events.ts';

/** An event of a turn as all daemons of a cluster number it: by the start of the daemon that it came from. */
export interface TurnEvent {
  event: RunEvent;
  epoch: string;
  number: number;
}

/** An item of a stream, or its end. */
export type StreamEntry<T> = { item: T } | 'end';

/** A stream cannot be followed, or not any further: what is stored of the run has to do. */
export class StreamUnavailable extends Error {
  override readonly name = 'StreamUnavailable';
}

/** The streams of runs that the daemons of a cluster read from each other; a single daemon has none. */
export interface StreamLog<T> {
  /** Adds an item, which readers get some milliseconds later; never waits. */
  append(key: string, item: T): void;
  /** Ends a stream after its last item; it can be read for some minutes more. */
  end(key: string): void;
  /**
   * What other daemons add to a stream, from its first item until its end or until the signal aborts; throws
   * `StreamUnavailable`.
   */
  follow(key: string, signal: AbortSignal): AsyncGenerator<StreamEntry<T>>;
}

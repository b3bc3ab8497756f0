import type { Redis } from 'ioredis';
import type { CoreEvents } from '../events.ts';
import { type EventRelay, isRelayed } from './event-relay.ts';
import type { RedisConnections } from '../redis/redis-connections.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import { gap, openingOf, outgoing, type OutgoingEvent, packEvents, unpackEvents } from './relay-message.ts';

/** How often what others did is read again: events can be lost unnoticed, and without Redis none of them come. */
const READ_AGAIN_MS = { connected: 30_000, apart: 5000 };

export interface RedisRelayDeps {
  connections: RedisConnections;
  prefix: string;
  /** Which daemon this is: it does not hear itself. */
  daemonId: string;
  /** What of a task travels. */
  columns: readonly (keyof TaskHead)[];
  /** Takes the events of other daemons. */
  receive: (name: keyof CoreEvents, payload: never) => void;
  reportBug: (error: unknown) => void;
}

/** Carries events by publish and subscribe; those of one turn of the event loop travel as one message. */
export class RedisRelay implements EventRelay {
  readonly #deps: RedisRelayDeps;
  readonly #channel: string;
  /** How every message of this daemon begins. */
  readonly #own: string;
  readonly #gapListeners = new Set<() => void>();
  #subscriber: Redis | undefined;
  /** The events of this turn. */
  #batch: OutgoingEvent[] = [];
  #sending: Promise<void> = Promise.resolve();
  /** Whether an event was not sent, so that the others need a gap. */
  #hasLost = false;
  #isListening = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: RedisRelayDeps) {
    this.#deps = deps;
    this.#channel = `${deps.prefix}:events`;
    this.#own = openingOf(deps.daemonId);
  }

  /** Begins to listen, now or when Redis is there; every time that it does so is the end of a gap. */
  start(): void {
    this.#subscriber = this.#deps.connections.connectConsumer();
    this.#subscriber.on('message', (_, text) => this.#receive(text));
    this.#subscriber.on('ready', () => void this.#listen());
    this.#subscriber.on('close', () => (this.#isListening = false));
    this.#plan();
  }

  publish<K extends keyof CoreEvents>(name: K, payload: CoreEvents[K]): void {
    if (this.#batch.length === 0) setImmediate(() => this.#flush());
    this.#batch.push(outgoing(name, payload));
  }

  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => void this.#gapListeners.delete(listener);
  }

  /** Resolves when what was published is sent. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    await this.#sending;
    this.#subscriber?.disconnect();
  }

  async #listen(): Promise<void> {
    try {
      // After the answer nothing is missed any more; what was before it may be.
      await this.#subscriber?.subscribe(this.#channel);
      this.#isListening = true;
      this.#gap();
    } catch (error) {
      // The connection broke again, and this is called again.
      this.#deps.connections.report(error);
    }
  }

  #plan(): void {
    const ms = this.#isListening ? READ_AGAIN_MS.connected : READ_AGAIN_MS.apart;
    this.#timer = setTimeout(() => {
      // One that refused it may take it now.
      if (!this.#isListening && this.#subscriber?.status === 'ready') void this.#listen();
      this.#gap();
      this.#plan();
    }, ms).unref();
  }

  #flush(): void {
    const events = this.#batch;
    this.#batch = [];
    if (events.length > 0) this.#sending = this.#sending.then(() => this.#send(events));
  }

  async #send(events: OutgoingEvent[]): Promise<void> {
    if (this.#hasLost) events.unshift(gap);
    this.#hasLost = false;
    for (const text of packEvents(events, this.#deps)) {
      const sent = await this.#deps.connections.attempt((redis) => redis.publish(this.#channel, text));
      if (!sent) this.#hasLost = true;
    }
  }

  #receive(text: string): void {
    // Most of what a busy daemon hears is its own, which is not worth parsing.
    if (text.startsWith(this.#own)) return;
    for (const [name, payload] of unpackEvents(text, this.#deps.columns))
      try {
        if (name === 'gap') this.#gap();
        else if (isRelayed(name)) this.#deps.receive(name, payload as never);
      } catch (error) {
        // One listener that fails keeps no event from the others.
        this.#deps.reportBug(error);
      }
  }

  #gap(): void {
    for (const listener of this.#gapListeners) listener();
  }
}

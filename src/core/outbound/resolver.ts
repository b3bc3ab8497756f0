import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { within } from '../async/within.ts';
import { OutboundError, tooSlow } from './outbound-error.ts';

/** All addresses of a host. */
export type Lookup = (host: string) => Promise<LookupAddress[]>;

/** The system's resolver keeps a thread for each lookup, and files and passwords need the same threads. */
const MAX_AT_ONCE = 3;
/** As many as there are deliveries on their way at the same time. */
const MAX_WAITING = 1024;
const TIMEOUT_MS = 5000;

interface Flight extends PromiseWithResolvers<LookupAddress[]> {
  host: string;
  /** The number of callers waiting for it. */
  askers: number;
}

const systemLookup: Lookup = (host) => lookup(host, { all: true });

/** Resolves host names, a few at a time, and shares concurrent lookups; results are not cached. */
export class Resolver {
  readonly #lookup: Lookup;
  readonly #timeoutMs: number;
  readonly #flights = new Map<string, Flight>();
  readonly #waiting: Flight[] = [];
  #running = 0;

  constructor(look: Lookup = systemLookup, timeoutMs = TIMEOUT_MS) {
    this.#lookup = look;
    this.#timeoutMs = timeoutMs;
  }

  async resolve(host: string): Promise<LookupAddress[]> {
    const flight = this.#flights.get(host) ?? this.#wait(host);
    flight.askers++;
    try {
      this.#start();
      return await within(this.#timeoutMs, flight.promise, () => tooSlow(`The name server for ${host}`));
    } finally {
      flight.askers--;
      this.#dropUnwanted(flight);
    }
  }

  #wait(host: string): Flight {
    if (this.#waiting.length >= MAX_WAITING)
      throw new OutboundError('network', 'Too many DNS lookups are pending. Try again later.');
    const flight = { host, askers: 0, ...Promise.withResolvers<LookupAddress[]>() };
    this.#flights.set(host, flight);
    this.#waiting.push(flight);
    return flight;
  }

  #start(): void {
    while (this.#running < MAX_AT_ONCE) {
      const flight = this.#waiting.shift();
      if (!flight) return;
      this.#running++;
      // A lookup cannot be cancelled, so it occupies its slot until it finishes.
      this.#lookup(flight.host)
        .then(flight.resolve, flight.reject)
        .finally(() => {
          this.#running--;
          this.#flights.delete(flight.host);
          this.#start();
        });
    }
  }

  #dropUnwanted(flight: Flight): void {
    const index = this.#waiting.indexOf(flight);
    if (flight.askers > 0 || index < 0) return;
    this.#waiting.splice(index, 1);
    this.#flights.delete(flight.host);
  }
}

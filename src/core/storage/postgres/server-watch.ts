import { sql } from 'kysely';
import { within } from '../../async/within.ts';
import type { ClockSample } from '../../shared-clock.ts';
import type { StorageFault } from '../storage-fault.ts';
import { isConnectionLost, isReadOnly } from './postgres-errors.ts';
import type { ReaderPool } from './reader-pool.ts';

/** The server is asked again after this time only. */
const CHECK_EVERY_MS = 1000;
/** A health check does not wait longer: a server that cannot be reached may not even refuse. */
const CHECK_LIMIT_MS = 5000;

export interface ServerWatchDeps {
  /** Names the server in messages, without a password. */
  address: string;
  monotonic: () => number;
  onTime: (sample: ClockSample) => void;
}

/** Tracks whether the server can be reached and takes writes. */
export class ServerWatch {
  readonly #deps: ServerWatchDeps;
  #fault: StorageFault | undefined;
  #checkedAt = -Infinity;
  #brokenAt: number;

  constructor(deps: ServerWatchDeps) {
    this.#deps = deps;
    this.#brokenAt = deps.monotonic();
  }

  contactMs(): number {
    return this.#deps.monotonic() - this.#brokenAt;
  }

  fault(): StorageFault | undefined {
    return this.#fault;
  }

  failed(error: unknown): void {
    if (isReadOnly(error) || isConnectionLost(error)) this.#brokenAt = this.#deps.monotonic();
    if (isReadOnly(error)) this.#fault = this.#readOnly();
    else if (isConnectionLost(error)) this.#fault = this.#away();
  }

  committed(): void {
    this.#fault = undefined;
  }

  /** Asks the server, unless it was asked a moment ago. */
  async check({ db }: ReaderPool): Promise<StorageFault | undefined> {
    const { monotonic, onTime } = this.#deps;
    const sentAt = monotonic();
    if (sentAt - this.#checkedAt < CHECK_EVERY_MS) return this.#fault;
    this.#checkedAt = sentAt;
    try {
      const answer = sql<{ standby: number; time: number }>`select pg_is_in_recovery() as standby,
        extract(epoch from clock_timestamp()) * 1000 as time`.execute(db);
      const [{ standby, time } = { standby: 0, time: 0 }] = (
        await within(CHECK_LIMIT_MS, answer, () => new Error('The server does not answer'))
      ).rows;
      onTime({ sentAt, answeredAt: monotonic(), serverTime: time });
      this.#fault = standby ? this.#readOnly() : undefined;
    } catch {
      // Whatever the reason, nothing can be read.
      this.#brokenAt = this.#deps.monotonic();
      this.#fault = this.#away();
    }
    return this.#fault;
  }

  #away(): StorageFault {
    return {
      kind: 'unavailable',
      message: `PostgreSQL at ${this.#deps.address} cannot be reached: nothing can be stored. The daemon continues as soon as it answers.`,
    };
  }

  #readOnly(): StorageFault {
    return {
      kind: 'read_only',
      message: `PostgreSQL at ${this.#deps.address} is a standby and takes no writes. The daemon continues as soon as it reaches the primary.`,
    };
  }
}

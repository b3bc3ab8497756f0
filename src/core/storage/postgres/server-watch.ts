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

/** Why a server may refuse writes, and what to do about it: it does not say which of them it is. */
export const takesNoWrites = (address: string): string =>
  `PostgreSQL at ${address} takes no writes: it is a standby, or default_transaction_read_only is on. Name the primary in storage.url (DATABASE_URL), or allow writes: ALTER DATABASE NAME SET default_transaction_read_only = off`;

/** Tracks whether the server can be reached and takes writes. */
export class ServerWatch {
  readonly #deps: ServerWatchDeps;
  #fault: StorageFault | undefined;
  /** Whether writes are refused for a reason that reading does not show, until one is taken. */
  #isRefused = false;
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
    if (isReadOnly(error)) {
      this.#isRefused = true;
      this.#fault = this.#readOnly();
    } else if (isConnectionLost(error)) this.#fault = this.#away();
  }

  committed(): void {
    this.#isRefused = false;
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
      // A standby takes writes as soon as it is none any more.
      if (standby) this.#isRefused = false;
      this.#fault = standby || this.#isRefused ? this.#readOnly() : undefined;
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
    const what = takesNoWrites(this.#deps.address);
    return {
      kind: 'read_only',
      message: `${what}. The daemon continues as soon as the server takes writes.`,
    };
  }
}

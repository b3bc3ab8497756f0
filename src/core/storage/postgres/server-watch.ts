import { sql } from 'kysely';
import type { StorageFault } from '../storage-fault.ts';
import { isConnectionLost, isReadOnly } from './postgres-errors.ts';
import type { ReaderPool } from './reader-pool.ts';

/** The server is asked again after this time only. */
const CHECK_EVERY_MS = 1000;

/** Tracks whether the server can be reached and takes writes. */
export class ServerWatch {
  readonly #address: string;
  readonly #monotonic: () => number;
  #fault: StorageFault | undefined;
  #checkedAt = -Infinity;

  /** `address` names the server in messages, without a password. */
  constructor(address: string, monotonic: () => number) {
    this.#address = address;
    this.#monotonic = monotonic;
  }

  fault(): StorageFault | undefined {
    return this.#fault;
  }

  failed(error: unknown): void {
    if (isReadOnly(error)) this.#fault = this.#readOnly();
    else if (isConnectionLost(error)) this.#fault = this.#away();
  }

  committed(): void {
    this.#fault = undefined;
  }

  /** Asks the server, unless it was asked a moment ago. */
  async check({ db }: ReaderPool): Promise<StorageFault | undefined> {
    const now = this.#monotonic();
    if (now - this.#checkedAt < CHECK_EVERY_MS) return this.#fault;
    this.#checkedAt = now;
    try {
      const { rows } = await sql<{ standby: number }>`select pg_is_in_recovery() as standby`.execute(db);
      this.#fault = rows[0]?.standby ? this.#readOnly() : undefined;
    } catch {
      // Whatever the reason, nothing can be read.
      this.#fault = this.#away();
    }
    return this.#fault;
  }

  #away(): StorageFault {
    return {
      kind: 'unavailable',
      message: `PostgreSQL at ${this.#address} cannot be reached: nothing can be stored. The daemon continues as soon as it answers.`,
    };
  }

  #readOnly(): StorageFault {
    return {
      kind: 'read_only',
      message: `PostgreSQL at ${this.#address} is a standby and takes no writes. The daemon continues as soon as it reaches the primary.`,
    };
  }
}

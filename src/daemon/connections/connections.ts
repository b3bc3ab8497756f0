import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { addressKey } from '../../core/limits/rate-limits.ts';
import { canonicalAddress, isWithin } from '../../core/outbound/address-rules.ts';
import { isLoopbackHost } from '../../core/text/loopback-host.ts';
import { refuseClient } from './client-error.ts';
import { Connection, type Origin, type Patience } from './connection.ts';
import { ConnectionTable } from './connection-table.ts';
import { closeWithAnswer } from './close-with-answer.ts';

/** Connections beyond the limits, on which only the health of the daemon may be asked for. */
export const RESERVE = 64;
const RESERVE_PER_ADDRESS = 8;
const BUSY_RETRY_SECONDS = '5';
const FINISH_LOOK_MS = 10;

export interface ConnectionLimits {
  max: number;
  perAddress: number;
  trustedProxies: readonly string[];
  sweepMs: number;
  patience: Patience;
}

/** Every connection of the daemon: how many there may be, of each address and in all, and which have to go. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #table: ConnectionTable<Connection>;
  readonly #reserve = new ConnectionTable<Connection>(RESERVE);
  readonly #known = new WeakMap<Socket, Connection>();
  readonly #open = new Set<Connection>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    this.#table = new ConnectionTable(limits.max);
  }

  of(socket: Socket): Connection | undefined {
    return this.#known.get(socket);
  }

  /** Whether any proxy is trusted. */
  get mayHaveProxies(): boolean {
    return this.#limits.trustedProxies.length > 0;
  }

  /** How many connections, or requests through a proxy, a client at the address may have at once. */
  limitOf(address: string): number {
    const { max, perAddress } = this.#limits;
    return isLoopbackHost(canonicalAddress(address)) ? max : Math.min(perAddress, max);
  }

  /**
   * Accepts no more connections and resolves when the requests on the others are answered, streams aside, or when the time
   * is up: who is behind a balancer never hears that a daemon stops.
   */
  async finish(server: Server, limitMs: number): Promise<void> {
    // Directly after those that wait were accepted: the system resets what is left in its line.
    await setImmediate();
    server.close();
    const until = performance.now() + limitMs;
    while (performance.now() < until && [...this.#open].some(({ isOwed }) => isOwed))
      await setTimeout(FINISH_LOOK_MS);
  }

  watch(server: Server): void {
    // Before Node.js makes a parser for it.
    server.prependListener('connection', (socket: Socket) => {
      const connection = this.#admit(socket);
      if (!connection) return;
      this.#open.add(connection);
      socket.once('close', () => {
        this.#open.delete(connection);
        this.#tableOf(connection).remove(connection);
      });
    });
    server.on('request', (request, response) => {
      const connection = this.of(request.socket);
      if (!connection) return;
      connection.begin(request, response);
      const table = this.#tableOf(connection);
      table.markBusy(connection);
      response.once('close', () => {
        if (connection.finish(response)) table.markIdle(connection);
      });
    });
    server.on('upgrade', ({ socket }) => {
      const connection = this.of(socket);
      if (!connection) return;
      connection.isUpgraded = true;
      this.#tableOf(connection).markBusy(connection);
    });
    server.on('clientError', (error, socket) => {
      refuseClient(error, socket as Socket, this.of(socket as Socket)?.isAnswering ?? false);
    });
    const sweep = () => {
      for (const connection of this.#open) connection.sweep(this.#limits.patience);
    };
    const timer = setInterval(sweep, this.#limits.sweepMs).unref();
    server.once('close', () => clearInterval(timer));
  }

  #admit(socket: Socket): Connection | undefined {
    const { remoteAddress } = socket;
    // It is gone already.
    if (remoteAddress === undefined) {
      socket.destroy();
      return undefined;
    }
    const origin = this.#originOf(remoteAddress);
    let connection = new Connection(socket, origin);
    if (!this.#table.admit(connection)) {
      connection = new Connection(socket, { ...origin, max: RESERVE_PER_ADDRESS });
      connection.isReserve = true;
      if (!this.#reserve.admit(connection)) {
        closeWithAnswer(socket, 503, 'Too many connections. Try again later.', {
          'retry-after': BUSY_RETRY_SECONDS,
        });
        return undefined;
      }
    }
    this.#known.set(socket, connection);
    return connection;
  }

  #originOf(address: string): Origin {
    const isProxy = isWithin(address, this.#limits.trustedProxies);
    const max = isProxy ? Number.POSITIVE_INFINITY : this.limitOf(address);
    return { key: addressKey(address), max, isProxy };
  }

  #tableOf({ isReserve }: Connection): ConnectionTable<Connection> {
    return isReserve ? this.#reserve : this.#table;
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Held } from './connection-table.ts';
import { closeWithAnswer } from './close-with-answer.ts';

/** From so many quiet sweeps on, a connection gives way to others. */
const STALLED_SWEEPS = 2;

/** How many sweeps, one a second, a peer may keep the daemon waiting. */
export interface Patience {
  /** Without one more byte of the body of a request. */
  bodySweeps: number;
  /** Without taking one more piece of an answer. */
  readSweeps: number;
}

export interface Origin {
  key: string;
  max: number;
  isProxy: boolean;
}

/** One connection of a client, with the requests that are in progress on it. */
export class Connection implements Held {
  readonly socket: Socket;
  readonly key: string;
  readonly max: number;
  readonly isProxy: boolean;
  /** True where there was room only for asking after the health of the daemon. */
  isReserve = false;
  /** True for one that carries WebSocket messages. */
  isUpgraded = false;
  readonly #answers = new Set<ServerResponse>();
  #latest: IncomingMessage | undefined;
  #read = 0;
  #taken = 0;
  #quietReads = 0;
  #quietWrites = 0;

  constructor(socket: Socket, { key, max, isProxy }: Origin) {
    this.socket = socket;
    this.key = key;
    this.max = max;
    this.isProxy = isProxy;
  }

  /** Whether an answer has begun: what is written now would become part of it. */
  get isAnswering(): boolean {
    return [...this.#answers].some(({ headersSent }) => headersSent);
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#latest = request;
    this.#answers.add(response);
  }

  /** Answers true when nothing else is in progress. */
  finish(response: ServerResponse): boolean {
    this.#answers.delete(response);
    return this.#answers.size === 0;
  }

  /** Whether the client waits for an answer that ends without the client, or has not asked for anything yet. */
  get isOwed(): boolean {
    if (!this.#latest) return !this.isUpgraded;
    return [...this.#answers].some((answer) => !answer.headersSent || answer.hasHeader('content-length'));
  }

  isStalled(): boolean {
    return this.#quietReads >= STALLED_SWEEPS || this.#quietWrites >= STALLED_SWEEPS;
  }

  close(): void {
    this.socket.destroy();
  }

  /**
   * Looks whether anything moved since the last time, and cuts a peer that has been waited for too long. Sweeps are
   * counted instead of milliseconds: a daemon that was busy itself has not read what is there.
   */
  sweep({ bodySweeps, readSweeps }: Patience): void {
    const { bytesRead, bytesWritten, writableLength } = this.socket;
    const isWaiting = this.#answers.size > 0 && this.#latest?.complete === false;
    this.#quietReads = isWaiting && bytesRead === this.#read ? this.#quietReads + 1 : 0;
    this.#read = bytesRead;
    const taken = bytesWritten - writableLength;
    this.#quietWrites = writableLength > 0 && taken === this.#taken ? this.#quietWrites + 1 : 0;
    this.#taken = taken;
    if (this.#quietWrites >= readSweeps) this.close();
    else if (this.#quietReads >= bodySweeps) this.#giveUp();
  }

  #giveUp(): void {
    if (this.isAnswering) this.close();
    else closeWithAnswer(this.socket, 408, 'The body of the request did not arrive');
  }
}

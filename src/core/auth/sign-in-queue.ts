import { AppError } from '../errors.ts';
import { addressKey } from '../limits/rate-limits.ts';
import type { ClientInfo } from './session-service.ts';

/** Who waits: a client that has signed in before goes first, and clients take turns by their key. */
export interface Requester {
  isKnown: boolean;
  key: string;
}

export const unknownClient: Requester = { isKnown: false, key: '' };

interface Waiting {
  key: string;
  start: () => void;
  /** Refuses because of too many others, unless there is another reason. */
  refuse: (reason?: AppError) => void;
}

/** After this many known clients, an unknown one has a turn. */
const KNOWN_IN_A_ROW = 3;
const MAX_RETRY_MS = 30_000;

/**
 * Work that costs much, a few at a time. Only so many known and unknown clients wait; where one too many
 * comes, the client with the most waiting gives one up.
 */
export class SignInQueue {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #monotonic: () => number;
  readonly #known: Waiting[] = [];
  readonly #unknown: Waiting[] = [];
  #running = 0;
  #isClosed = false;
  #knownInARow = 0;
  /** Of the last ones; most machines take a little longer than the first guess. */
  #averageMs = 50;

  constructor(atOnce: number, maxWaiting: number, monotonic: () => number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
    this.#monotonic = monotonic;
  }

  async run<T>({ isKnown, key }: Requester, work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw stoppingError();
    if (this.#running >= this.#atOnce) await this.#wait(isKnown ? this.#known : this.#unknown, key);
    else this.#running++;
    const began = this.#monotonic();
    try {
      return await work();
    } finally {
      this.#averageMs += (this.#monotonic() - began - this.#averageMs) / 8;
      this.#startNext();
    }
  }

  /** Refuses waiting and new requests; work in progress continues. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of [...this.#known.splice(0), ...this.#unknown.splice(0)])
      waiting.refuse(stoppingError());
  }

  /** Resolves with the slot of a finished job. */
  #wait(lane: Waiting[], key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { key, start: resolve, refuse: (reason = this.#refusal()) => reject(reason) };
      if (lane.length >= this.#maxWaiting && !giveWay(lane, key)) waiting.refuse();
      else lane.push(waiting);
    });
  }

  #startNext(): void {
    const isTurnOfUnknown = this.#knownInARow >= KNOWN_IN_A_ROW && this.#unknown.length > 0;
    const lane = isTurnOfUnknown || this.#known.length === 0 ? this.#unknown : this.#known;
    this.#knownInARow = lane === this.#known ? this.#knownInARow + 1 : 0;
    const next = lane.shift();
    if (!next) {
      this.#running--;
      return;
    }
    // Who has more of them waiting goes behind the others, so that clients take turns.
    takeTurns(lane, next.key);
    next.start();
  }

  #refusal(): AppError {
    const waiting = this.#known.length + this.#unknown.length;
    const retryAfterMs = Math.min(MAX_RETRY_MS, (waiting * this.#averageMs) / this.#atOnce);
    return new AppError('unavailable', 'Too many sign-ins at once. Try again in a moment.', { retryAfterMs });
  }
}

/** The refusal while the daemon stops. */
export const stoppingError = () => new AppError('unavailable', 'svc is stopping. Try again later.');

/** Refuses the latest of the client that has most waiting, unless that is no more than the new one would have. */
function giveWay(lane: Waiting[], key: string): boolean {
  const counts = new Map<string, number>();
  for (const { key: each } of lane) counts.set(each, (counts.get(each) ?? 0) + 1);
  const [heaviest, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  if (most <= (counts.get(key) ?? 0) + 1) return false;
  const [leaving] = lane.splice(
    lane.findLastIndex((waiting) => waiting.key === heaviest),
    1,
  );
  leaving?.refuse();
  return true;
}

function takeTurns(lane: Waiting[], served: string): void {
  const others = lane.filter(({ key }) => key !== served);
  if (others.length > 0) lane.splice(0, lane.length, ...others, ...lane.filter(({ key }) => key === served));
}

/** A known client is one for each account: others behind its address wait for their own turn. */
export function requesterOf({ address, isKnown = false }: ClientInfo, account = ''): Requester {
  const key = address === undefined ? '' : addressKey(address);
  return { isKnown, key: isKnown ? `${key} ${account}` : key };
}

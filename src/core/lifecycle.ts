import { grantedLeases, type Leases } from './leases.ts';
import type { Log } from './log.ts';
import { AppError, messageOf } from './errors.ts';

/** What a feature does besides answering calls; every part is optional. */
export interface Lifecycle {
  /** Resumes what the stored rows say is open, and starts timers. */
  start?(): unknown;
  /** Starts nothing more and resolves when nothing of it runs; `drainMs` is how long running work may take to finish. */
  stop?(drainMs: number): unknown;
  /** Removes what is past its retention or expiry; it runs again at the interval, so a failure loses nothing. */
  tidy?: {
    everyMs: number;
    run: () => Promise<unknown>;
    /** Names a round over rows that the daemons of a cluster share, which one of them does for all; others are done by each. */
    shared?: string;
  };
}

/** A feature of the core, wired: what others may call, and what has to be started and stopped. */
export interface Feature<Services> {
  services: Services;
  lifecycle?: Lifecycle;
}

const TICK_MS = 15_000;

/** How often a feature removes what is past its retention, unless it has a reason for another interval. */
export const TIDY_EVERY_MS = 300_000;

export interface LifecycleDeps {
  monotonic: () => number;
  log: Log;
}

/** Starts features in dependency order, stops them in reverse, and tidies them in between. */
export class Lifecycles {
  readonly #lifecycles: Lifecycle[] = [];
  readonly #deps: LifecycleDeps;
  readonly #tidiedAt = new Map<Lifecycle, number>();
  #leases: Pick<Leases, 'takeRound'> = grantedLeases;
  #timer: NodeJS.Timeout | undefined;
  #tidying: Promise<void> | undefined;

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
  }

  /** Takes note of a feature's lifecycle and hands its services on. */
  add<Services>({ services, lifecycle }: Feature<Services>): Services {
    if (lifecycle) this.#lifecycles.push(lifecycle);
    return services;
  }

  /** From now on shared rounds are done by whichever daemon comes first. */
  shareRounds(leases: Pick<Leases, 'takeRound'>): void {
    this.#leases = leases;
  }

  async start(): Promise<void> {
    for (const lifecycle of this.#lifecycles) await lifecycle.start?.();
    this.#timer = setInterval(() => void this.tidy(), TICK_MS).unref();
  }

  /** Stops in reverse order; one that fails does not keep the others from stopping. */
  async stop(drainMs: number): Promise<void> {
    clearInterval(this.#timer);
    await this.#tidying;
    const failures: unknown[] = [];
    for (const lifecycle of this.#lifecycles.toReversed())
      try {
        await lifecycle.stop?.(drainMs);
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }

  /** Runs every tidy that is due; never rejects, because the next round tries again. */
  tidy(): Promise<void> {
    this.#tidying ??= this.#tidyDue().finally(() => (this.#tidying = undefined));
    return this.#tidying;
  }

  async #tidyDue(): Promise<void> {
    const { monotonic, log } = this.#deps;
    for (const lifecycle of this.#lifecycles) {
      if (!lifecycle.tidy) continue;
      const { everyMs, run, shared } = lifecycle.tidy;
      if (monotonic() - (this.#tidiedAt.get(lifecycle) ?? -Infinity) < everyMs) continue;
      this.#tidiedAt.set(lifecycle, monotonic());
      await this.#runRound(run, shared, everyMs).catch((error: unknown) =>
        error instanceof AppError
          ? log.warn({ reason: messageOf(error) }, 'cleaning up failed; it is tried again')
          : log.error({ err: error }, 'this is a bug in svc'),
      );
    }
  }

  async #runRound(run: () => Promise<unknown>, shared: string | undefined, everyMs: number): Promise<void> {
    // Less than the interval, so that a daemon whose turn comes a little early does not wait for another one.
    if (shared === undefined || (await this.#leases.takeRound(shared, everyMs * 0.9))) await run();
  }
}

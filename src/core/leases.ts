/** What came of asking for a lease. */
export type LeaseAnswer =
  | {
      isMine: true;
      /** Rises with each owner. */
      fence: number;
    }
  | {
      isMine: false;
      /** The daemon that holds it. */
      owner: string;
      /** Milliseconds until it ends, unless its owner renews it. */
      leftMs: number;
    };

export interface LeaseUse {
  /** Whether the lease can be given back; asked at each renewal. */
  isIdle?: () => boolean;
  /** Called when this daemon has stopped holding the lease, for whatever reason. */
  onEnd?: () => void;
}

/** Decides which daemon of a cluster does a work that only one may do; a daemon that is alone does all of it. */
export interface Leases {
  /** Whether this daemon may begin work of up to `LEASED_WORK_MS` that no other daemon does meanwhile. */
  holds(name: string): boolean;
  /** Takes the lease unless another daemon holds it; it is renewed until it is released. Rejects with an `AppError` of the storage. */
  take(name: string, use?: LeaseUse): Promise<LeaseAnswer>;
  /** Lets others take the lease at once; does nothing where it is not held. */
  release(name: string): Promise<void>;
  /** Whether this daemon is the first to ask within `ms`; for rounds that one daemon does for all. */
  takeRound(name: string, ms: number): Promise<boolean>;
}

/** How long a claim of work holds without renewal: of a task, of a turn, or of what only one daemon does. */
export const LEASE_MS = 30_000;
/** Work under a lease that could not be renewed is stopped so long before another daemon may take it. */
export const LEASE_MARGIN_MS = 5000;

/** The end of a lease that is taken or renewed now, as it is stored. */
export const leaseEnd = (now: Date): string => new Date(now.getTime() + LEASE_MS).toISOString();

/** The longest work under a lease that is checked once, such as a request with its time limit. */
export const LEASED_WORK_MS = 12_000;

/** A daemon that has its database for itself holds everything. */
export const grantedLeases: Leases = {
  holds: () => true,
  take: async () => ({ isMine: true, fence: 1 }),
  release: async () => undefined,
  takeRound: async () => true,
};

/** A pending delivery. */
export interface Delivery {
  id: string;
  /** The receiver; its deliveries share a lane. */
  lane: string;
  /** Deliveries with the same key are sent one after the other, such as those of one task. */
  orderKey?: string | undefined;
  /** The number of failed attempts. */
  attempts: number;
  /** Wall-clock milliseconds. */
  dueAt: number;
  /** The delay after its last attempt, if it differs from the schedule. */
  waitMs?: number | undefined;
}

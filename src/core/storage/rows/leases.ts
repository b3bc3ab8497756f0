/** A work that one daemon of a cluster does at a time. */
export interface LeaseRow {
  name: string;
  /** The id of the daemon that took it last. */
  owner: string;
  /** Counts how often it was taken. */
  fence: number;
  expires_at: string;
}

/** An archive file with entries that were moved out of the audit log. */
export interface AuditArchiveRow {
  last_seq: number;
  first_seq: number;
  /** Its name in the archive directory. */
  file: string;
  entries: number;
  bytes: number;
  /** Of the whole file. */
  sha256: string;
  /** The hash of the entry before its first one. */
  previous_hash: string;
  last_hash: string;
  from_at: string;
  to_at: string;
  created_at: string;
}

/** A removed task whose events are still to be removed. */
export interface RemovedTaskRow {
  task_seq: number;
}

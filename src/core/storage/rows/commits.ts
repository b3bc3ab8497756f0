/** The last transaction that a connection of a daemon has committed; it is written by the transaction itself. */
export interface CommitRow {
  /** The connection, by a name that no other has. */
  writer: string;
  /** An `xid8` of PostgreSQL. */
  transaction_id: string;
  committed_at: string;
}

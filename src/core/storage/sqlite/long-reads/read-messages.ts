/** What a reader thread opens. */
export interface ReaderOptions {
  file: string;
  cacheMiB: number;
}

export interface ReadRequest {
  sql: string;
  parameters: readonly unknown[];
  /** Milliseconds after which the query stops where it calls `inTime`. */
  limitMs: number;
}

export type ReadResponse =
  | { rows: unknown[] }
  | { message: string; errcode: number | undefined; isLate: boolean };

/** The name of the SQL function that is 1 until the time limit of the query, and stops the query after it. */
export const inTime = 'in_time';

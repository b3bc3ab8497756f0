/** What models used on a day. */
export interface UsageDayRow {
  /** In UTC, such as `2026-03-01`. */
  day: string;
  /** `all`, `agent:NAME` or `token:ID`. */
  scope: string;
  /** Input and output together. */
  tokens: number;
  cost_usd: number;
}

/** What models used on a day. */
export interface UsageDayRow {
  /** In UTC, such as `2026-03-01`. */
  day: string;
  /**
   * `all`, `agent:NAME`, `token:ID`, `user:ID` or `repository:NAME`. What a person added to a budget, and what was said of
   * one, have scopes that begin with `grant:`, `near:` and `reached:`.
   */
  scope: string;
  /** Input and output together. */
  tokens: number;
  cost_usd: number;
}

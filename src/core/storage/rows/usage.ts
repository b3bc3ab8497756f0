/** What models used on a day, for one user, token, agent, model, repository, task and conversation; empty texts where there is none. */
export interface UsageRow {
  /** In UTC, such as `2026-03-01`. */
  day: string;
  owner_id: string;
  token_id: string;
  agent: string;
  provider: string;
  model: string;
  repository: string;
  /** Empty in old rows, which are added up over all tasks. */
  task_id: string;
  /** Empty in old rows, too. */
  conversation_id: string;
  /** Cached tokens included. */
  input_tokens: number;
  output_tokens: number;
  /** Input that the vendor had cached. */
  cached_tokens: number;
  calls: number;
  /** Of the calls whose cost is known. */
  cost_usd: number;
  /** How many calls have a cost that is not known. */
  unknown_calls: number;
}

/** Who and what a model works for. */
export interface UsedBy {
  userId: string;
  /** The API token of the request, or of the one that created the task. */
  tokenId?: string | undefined;
  /** The agent; undefined where a model answers without one. */
  agent?: string | undefined;
  taskId?: string | undefined;
  conversationId?: string | undefined;
  /** `owner/name` at GitHub, `host/path` elsewhere. */
  repository?: string | undefined;
}

/** What calls of one model used. */
export interface UsageRecord {
  usedBy: UsedBy;
  /** Empty where an agent does not say. */
  provider: string;
  model: string;
  /** Cached tokens included. */
  inputTokens: number;
  outputTokens: number;
  /** Input that the vendor had cached. */
  cachedTokens?: number | undefined;
  /** One unless given. */
  calls?: number | undefined;
  /** Undefined where it is not known. */
  costUsd: number | undefined;
  /** How many calls have a cost that is not known; negative once it is. All calls of a record without a cost unless given. */
  unknownCalls?: number | undefined;
}

export interface ConversationRow {
  id: string;
  owner_id: string;
  title: string;
  preset_id: string;
  task_id: string | null;
  /** The working directory of its tools; null for a directory of its own. */
  cwd: string | null;
  /** The type of the agent that answers; null where a model does. */
  agent: string | null;
  /** The session of the agent, as the agent names it; null before its first turn. */
  agent_session: string | null;
  message_count: number;
  /** The summary of the messages up to `summary_seq`; null while all of them fit. */
  summary: string | null;
  summary_seq: number;
  /** The daemon of a cluster that has the turn, until `turn_until`; null where none has it. */
  turn_owner: string | null;
  turn_until: string | null;
  /** Increases with each turn of a cluster. */
  turn_fence: number;
  /** The fence of the last turn that a person stopped. */
  turn_stop: number;
  created_at: string;
  updated_at: string;
}

export interface MessageRow {
  id: string;
  conversation_id: string;
  /** Increases by one within the conversation. */
  seq: number;
  role: string;
  content: string;
  provider: string | null;
  model: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  /** JSON list. */
  tool_calls: string | null;
  /** Of an answer; null on messages of users and on answers of earlier versions, which are complete. */
  status: string | null;
  /** JSON: why the answer is not complete. */
  error: string | null;
  finish_reason: string | null;
  /** The id of the message that it answers. */
  reply_to: string | null;
  /** JSON list of the `TurnStep`s, which say where in the turn the tool calls were made. */
  steps: string | null;
  cost_usd: number | null;
  /** Tokens of the last request of the turn, and the context window of its model. */
  context_tokens: number | null;
  context_window: number | null;
  created_at: string;
}

export interface ConversationRow {
  id: string;
  owner_id: string;
  title: string;
  preset_id: string;
  task_id: string | null;
  /** The working directory of its tools; null for a directory of its own. */
  cwd: string | null;
  message_count: number;
  /** The summary of the messages up to `summary_seq`; null while all of them fit. */
  summary: string | null;
  summary_seq: number;
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
  created_at: string;
}

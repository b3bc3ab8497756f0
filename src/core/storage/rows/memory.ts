export interface MemorySessionRow {
  id: string;
  owner_id: string;
  name: string;
  conversation_id: string | null;
  status: string;
  created_at: string;
  archived_at: string | null;
}

/** Where something that was learned comes from. */
export interface OriginColumns {
  /** `user`, `task` or `conversation`. */
  origin: string;
  /** Who said it, or whose run it was: an administrator may speak for the owner. */
  origin_user_id: string;
  source_task_id: string | null;
  source_conversation_id: string | null;
  /** 0 where a stranger's text set it going. */
  is_trusted: number;
}

export interface ExperienceRow extends OriginColumns {
  id: string;
  owner_id: string;
  type: string;
  intent: string;
  /** JSON list of steps. */
  solution: string;
  success_score: number;
  /** JSON list. */
  tags: string;
  /** As it was at `weighed_at`. */
  weight: number;
  weighed_at: string;
  use_count: number;
  last_used_at: string | null;
  /** The same for what says the same. */
  content_key: string;
  created_at: string;
}

export interface PreferenceRow extends OriginColumns {
  id: string;
  owner_id: string;
  category: string;
  value: string;
  /** The same for categories that mean the same. */
  category_key: string;
  /** The same for what says the same. */
  value_key: string;
  confidence: number;
  count: number;
  created_at: string;
  updated_at: string;
}

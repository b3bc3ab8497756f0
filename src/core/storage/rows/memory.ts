export interface MemorySessionRow {
  id: string;
  owner_id: string;
  name: string;
  conversation_id: string | null;
  status: string;
  created_at: string;
  archived_at: string | null;
}

/** The origin of learned content. */
export interface OriginColumns {
  /** `user`, `task` or `conversation`. */
  origin: string;
  /** The user who said it or whose run it was; may be an administrator instead of the owner. */
  origin_user_id: string;
  source_task_id: string | null;
  source_conversation_id: string | null;
  /** 0 where untrusted text was involved. */
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
  /** Equal for equal content. */
  /** The directory of the project in which it was made. */
  project: string | null;
  content_key: string;
  /** 1 where commands verified the task that it was learned from, or a person recorded it. */
  is_verified: number;
  created_at: string;
}

export interface PreferenceRow extends OriginColumns {
  id: string;
  owner_id: string;
  category: string;
  value: string;
  /** Equal for categories with the same meaning. */
  category_key: string;
  /** Equal for equal content. */
  value_key: string;
  confidence: number;
  count: number;
  created_at: string;
  updated_at: string;
}

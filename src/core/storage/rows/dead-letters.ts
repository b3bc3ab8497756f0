export interface DeadLetterRow {
  id: string;
  task_id: string;
  owner_id: string;
  title: string;
  attempts: number;
  class: string;
  first_error: string;
  last_error: string;
  status: string;
  resolution: string | null;
  note: string | null;
  created_at: string;
  resolved_at: string | null;
}

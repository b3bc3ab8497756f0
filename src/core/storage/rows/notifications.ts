export interface NotificationRow {
  id: string;
  owner_id: string;
  type: string;
  title: string;
  message: string;
  task_id: string | null;
  data: string;
  created_at: string;
  read_at: string | null;
}

/**
 * A file that a run changed, as it was before and after. A row without a path says why changes of the run may be missing.
 */
export interface FileChangeRow {
  /** In the order of the changes. */
  id: number;
  /** The run of a model: one task, or one turn of a conversation. */
  run_id: string;
  task_id: string | null;
  conversation_id: string | null;
  /** The root of the project, a real path. */
  root: string;
  /** A real path. */
  path: string | null;
  /** SHA-256 of the content, in hexadecimal; null if there was no file, or its content is not kept. */
  before_hash: string | null;
  /** Type and permissions as `stat` has them; null if there was no file. */
  before_mode: number | null;
  after_hash: string | null;
  after_mode: number | null;
  /** The topmost directory that was created for the file. */
  made_directory: string | null;
  /** Why changes may be missing. */
  unkept: string | null;
  /** 0 from before the file is replaced until it is: after a crash it may not have been. */
  is_done: number;
  created_at: string;
  undone_at: string | null;
}

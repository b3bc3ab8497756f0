/** A setting that the daemons of a cluster share. */
export interface SettingRow {
  key: string;
  /** As JSON, with secrets sealed; `null` where the setting was removed, so that its version keeps rising. */
  value: string;
  /** Rises by one with each change. */
  version: number;
  updated_at: string;
  /** The id of the user. */
  updated_by: string | null;
}

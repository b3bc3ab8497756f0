/** The state of the installation, such as the hash of the access key. */
export interface StateRow {
  key: string;
  value: string;
}

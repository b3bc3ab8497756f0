/** Small durable facts of the installation: the access key's hash, the pause of the queue. */
export interface StateRow {
  key: string;
  value: string;
}

import { readFileSync } from 'node:fs';
import { writePrivateFile } from './storage/private-file.ts';

/** Who a daemon is among those that work on the same tasks. */
export interface DaemonIdentity {
  /** The same after each restart with its data directory. */
  id: string;
  /** Whether other daemons may work on the same database. */
  isInCluster: boolean;
  /** The same for all daemons on the database. */
  clusterId: string;
  /** Its name in the cluster; empty where there is only one. */
  name: string;
  /** The name of its machine in the cluster; empty where there is only one. */
  host: string;
  /** Its labels in the cluster, those that its host and its id imply among them. */
  labels: readonly string[];
  /** Whether tasks that ask for the label may run here. */
  hasLabel(label: string): boolean;
}

/** A daemon that has its database for itself. */
export const aloneDaemon: DaemonIdentity = {
  id: 'daemon',
  isInCluster: false,
  clusterId: '',
  name: '',
  host: '',
  labels: [],
  // There is no other host, and no other daemon.
  hasLabel: (label) => label.startsWith('host:') || label.startsWith('daemon:'),
};

/** Reads the id from the file, which it makes at the first start. */
export function readDaemonId(file: string, newId: () => string): string {
  try {
    const id = readFileSync(file, 'utf8').trim();
    if (id !== '') return id;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const id = newId();
  writePrivateFile(file, `${id}\n`);
  return id;
}

import { join } from 'node:path';
import type { Locations } from '../../../contract/locations.ts';
import { lockDataDirectory } from '../../../core/storage/data-lock.ts';

// Backups are checked where they are written and restored where no daemon runs, so the code of the daemon is loaded here.
export { Config } from '../../../core/config/config.ts';
export { backupName } from '../../../core/backup/backup-name.ts';
export { keepOwnFilesPrivate } from '../../../core/processes/work-umask.ts';
export { withIdentity } from '../../../core/backup/pack-backup.ts';
export { restoreHome, type RestoreReport } from '../../../core/backup/restore-home.ts';
export { type ClusterRestoreReport, restoreCluster } from '../../../core/backup/restore-cluster.ts';
export { requireFree, storeBackup, type StoredBackup } from '../../../core/backup/store-backup.ts';

/** Throws while a daemon uses the home. */
export async function requireUnused({ data, databaseFile }: Locations): Promise<void> {
  (await lockDataDirectory(join(data, 'daemon.lock'), databaseFile)).release();
}

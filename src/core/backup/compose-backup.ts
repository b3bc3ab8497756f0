import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { Feature } from '../lifecycle.ts';
import { BackupSchedule, type BackupScheduleDeps } from './backup-schedule.ts';
import { BackupService, type BackupServiceDeps } from './backup-service.ts';

const LOOK_EVERY_MS = 15_000;

type BackupDeps = BackupServiceDeps &
  Omit<BackupScheduleDeps, 'backups' | 'directory'> & { locations: Locations };

/** Wires backups on request and on a schedule. */
export async function composeBackup(deps: BackupDeps) {
  const backups = new BackupService(deps);
  backups.removeLeft();
  const backupSchedule = new BackupSchedule({
    ...deps,
    backups,
    directory: join(deps.locations.data, 'backups'),
  });
  await backupSchedule.load();
  const services = { backups, backupSchedule };
  // Other clean-ups do not wait for a backup.
  const run = () => {
    void backupSchedule.runIfDue();
    return Promise.resolve();
  };
  return {
    services,
    lifecycle: {
      stop: () => {
        backups.stop();
        return backupSchedule.stop();
      },
      tidy: { everyMs: LOOK_EVERY_MS, run },
    },
  } satisfies Feature<typeof services>;
}

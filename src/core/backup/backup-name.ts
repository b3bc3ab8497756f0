/** The name of a backup made at a time: `svc-backup-2026-11-23T08-30-00Z.tar.gz`. */
export const backupName = (at: Date): string =>
  `svc-backup-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.tar.gz`;

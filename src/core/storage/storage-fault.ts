/** A reason why nothing can be stored, or why the data is at risk. */
export type StorageFaultKind =
  | 'full'
  | 'read_only'
  | 'damaged'
  | 'missing'
  | 'replaced'
  | 'unlocked'
  | 'stuck'
  | 'unavailable';

export interface StorageFault {
  kind: StorageFaultKind;
  /** The problem and what to do about it. */
  message: string;
}

/** Describes a fault of the database file. */
export function describeFault(kind: StorageFaultKind, file: string): StorageFault {
  const messages: Record<StorageFaultKind, string> = {
    full: `The disk of ${file} is full: nothing can be stored. Free some space; svc data usage shows what takes it.`,
    read_only: `The disk of ${file} is read-only: nothing can be stored. Make it writable; the daemon then continues.`,
    // SQLite does not tell a read error of the disk from damage, so only the check at the next start decides.
    damaged: `The database ${file} is damaged, or its disk cannot be read: nothing more is stored. Check the disk, then restart the daemon (svc daemon restart). If it does not start because of damage, restore a backup.`,
    missing: `The database ${file} or its log (-wal) was deleted: nothing more is stored. Stop the daemon (svc daemon stop) and restore a backup.`,
    replaced: `The database ${file} or its log (-wal) was replaced by another file: nothing more is stored. Restart the daemon (svc daemon restart) to use the new file.`,
    unlocked: `The lock beside ${file} (daemon.lock) was deleted or replaced: another daemon could use the same data. Restart the daemon (svc daemon restart).`,
    stuck: `Nothing could be written to ${file} for 10 seconds. Another program may have locked it: close it, or restart the daemon (svc daemon restart).`,
    unavailable: `The database ${file} cannot be written: its disk reports errors. Check the disk, then restart the daemon (svc daemon restart).`,
  };
  return { kind, message: messages[kind] };
}

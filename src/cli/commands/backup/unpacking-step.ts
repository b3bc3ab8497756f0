/** What to show while a backup is read: bytes as they are unpacked, then its check, which takes an unknown time. */
export const unpackingStep = (done: number, total: number) =>
  done < total ? { text: 'unpacking the backup', done, total } : { text: 'checking the backup' };

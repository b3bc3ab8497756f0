import { readFile } from 'node:fs/promises';

/** What changes with every start of the machine; undefined where the system does not say. */
export const readBootId = (): Promise<string | undefined> =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

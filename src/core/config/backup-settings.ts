import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { parseDuration } from '../../contract/duration.ts';
import { define } from './define-setting.ts';

const LEAST_MS = 60_000;
const MOST_MS = 366 * 86_400_000;

/** Scheduled backups of the daemon. */
export const backupSettings = {
  'backup.every': define({
    schema: () =>
      z
        .string()
        .refine((text) => {
          const ms = parseDuration(text);
          return ms !== undefined && ms >= LEAST_MS && ms <= MOST_MS;
        }, 'Expected a duration from 1m to 366d, such as 24h')
        .optional(),
    default: undefined,
    live: true,
    description: 'How often the daemon makes a backup, such as 24h; never unless set',
  }),
  'backup.keep': define({
    schema: () => z.int().min(1).max(1000),
    default: 7,
    live: true,
    description: 'How many of these backups are kept',
  }),
  'backup.directory': define({
    schema: () =>
      z
        .string()
        .max(4096)
        .refine((path) => isAbsolute(path), 'Expected an absolute path')
        .optional(),
    default: undefined,
    live: true,
    scope: 'daemon',
    description: 'Where these backups are written; backups in the data directory unless set',
  }),
  'backup.identity': define({
    schema: () => z.stringbool().or(z.boolean()),
    default: false,
    live: true,
    description: 'Whether these backups hold the identity, which decrypts the secrets in them',
  }),
};

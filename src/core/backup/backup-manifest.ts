import { z } from 'zod';
import { AppError } from '../errors.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import { damaged } from './damaged.ts';

/** The first entry of a backup: it says what follows. */
export const MANIFEST = 'manifest.json';
export const MANIFEST_BYTES = 2 ** 20;
/** The last entry, where the backup has one. */
export const IDENTITY = 'identity';
/** 64 hex digits and a newline. */
export const IDENTITY_BYTES = 65;
export const DATABASE = 'svc.db';
export const MEMORY = 'memory.db';
export const SETTINGS = 'settings.json';

const FORMAT = 1;

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  svcVersion: z.string().max(100),
  createdAt: z.iso.datetime(),
  files: z
    .array(
      z.object({
        // The only names that a backup may have: none of them leads out of the directory that it is unpacked into.
        name: z
          .string()
          .regex(/^(svc\.db|memory\.db|settings\.json|archive\/audit-\d{1,20}-\d{1,20}\.jsonl\.gz)$/),
        bytes: z.int().min(0),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .max(5000)
    .refine((files) => new Set(files.map(({ name }) => name)).size === files.length)
    .refine((files) => files.some(({ name }) => name === DATABASE)),
});
export type BackupManifest = z.output<typeof manifestSchema>;

export const formatManifest = (manifest: Omit<BackupManifest, 'format'>): string =>
  `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;

/** Reads the manifest; a later format is refused before anything else of it is looked at. */
export function parseManifest(text: string): BackupManifest {
  const json = parseJson(text);
  const format = typeof json === 'object' && json !== null && 'format' in json ? json.format : undefined;
  if (typeof format === 'number' && format > FORMAT)
    throw new AppError(
      'validation',
      'This backup was made by a newer svc, in a format that this one does not know. Upgrade svc first.',
    );
  const { success, data } = safeParse(manifestSchema, json);
  if (!success) throw damaged('its list of contents is not valid');
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged('its list of contents is not JSON', error);
  }
}

import { z } from 'zod';
import { define } from './define-setting.ts';
import { databaseUrlSchema } from './service-urls.ts';

const count = (min: number, max: number) => z.int().min(min).max(max);

/** Where rows are kept. */
export const storageSettings = {
  'storage.synchronous': define({
    schema: () => z.enum(['FULL', 'NORMAL']),
    default: 'FULL',
    scope: 'daemon',
    description: 'FULL survives a power cut; NORMAL is faster but may lose the last writes; of SQLite',
  }),
  'storage.cacheMiB': define({
    schema: () => count(1, 4096),
    default: (mode) => (mode === 'pico' ? 4 : 16),
    environment: 'SVC_STORAGE_CACHE_MIB',
    scope: 'daemon',
    description: 'Size of the page cache of SQLite, in MiB',
  }),
  'storage.url': define({
    schema: () => databaseUrlSchema.optional(),
    default: undefined,
    environment: 'DATABASE_URL',
    scope: 'daemon',
    needsPro: true,
    isCommonVariable: true,
    hasPassword: true,
    description: 'The URL of the PostgreSQL database in mode pro, such as postgres://svc@db.example.org/svc',
  }),
  'storage.tls': define({
    schema: () => z.enum(['required', 'off']),
    default: 'required',
    scope: 'daemon',
    needsPro: true,
    description:
      'Whether a PostgreSQL server on another machine must prove its name (required), or may be reached without TLS (off)',
  }),
  'storage.readers': define({
    schema: () => count(1, 1000),
    default: 10,
    scope: 'daemon',
    needsPro: true,
    description: 'Connections to PostgreSQL that read',
  }),
  'storage.writers': define({
    schema: () => count(1, 100),
    default: 2,
    scope: 'daemon',
    needsPro: true,
    description: 'Connections to PostgreSQL that write',
  }),
  'storage.prepared': define({
    schema: () => z.stringbool().or(z.boolean()),
    default: true,
    scope: 'daemon',
    needsPro: true,
    description: 'Use prepared statements; false for a transaction pooler that cannot keep them',
  }),
};

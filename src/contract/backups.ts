import { z } from 'zod';
import { defineRoutes } from './route.ts';

export const backupRoutes = defineRoutes({
  create: {
    method: 'POST',
    path: '/api/backups',
    access: 'admin',
    summary: 'Make a backup and download it',
    errors: [503, 507],
    file: 'application/gzip',
    response: z.string().meta({ description: 'The file, a compressed tar archive without the identity' }),
  },
});

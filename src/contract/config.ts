import { z } from 'zod';
import { messageSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

export const settingSchema = z
  .object({
    key: z.string().meta({ description: 'Dotted name, such as queue.retry.attempts' }),
    value: z.json(),
    default: z.json(),
    origin: z.enum(['default', 'settings', 'environment', 'flag']),
    description: z.string(),
    environment: z.string().optional().meta({ description: 'The environment variable that sets it' }),
    needsRestart: z.boolean().meta({ description: 'A change takes effect at the next start' }),
    isSecret: z
      .boolean()
      .meta({ description: 'It is or holds secrets: sealed when they are set here, and never shown' }),
    pending: z.json().optional().meta({ description: 'A value that waits for the next start' }),
  })
  .meta({ id: 'Setting' });
export type Setting = z.output<typeof settingSchema>;

const settingKeySchema = z.string().min(1).max(200);

export const configRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/config',
    access: 'admin',
    summary: 'List the settings with the origin of each value',
    response: z.object({ settings: z.array(settingSchema) }),
  },
  set: {
    method: 'PUT',
    path: '/api/config/:key',
    access: 'admin',
    summary: 'Change a setting in the settings file',
    params: z.object({ key: settingKeySchema }),
    body: z.object({ value: z.json().meta({ description: 'null takes the setting out of the file' }) }),
    response: messageSchema.extend({ setting: settingSchema }),
  },
});

import { z } from 'zod';
import { messageSchema, pageFields, pageQuerySchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

export const settingSchema = z
  .object({
    key: z.string().meta({ description: 'Dotted name such as `queue.retry.attempts`' }),
    value: z.json(),
    default: z.json(),
    origin: z.enum(['default', 'settings', 'environment', 'flag']),
    description: z.string(),
    environment: z.string().optional().meta({ description: 'Environment variable that sets the value' }),
    needsRestart: z.boolean().meta({ description: 'A change takes effect after a restart' }),
    isSecret: z
      .boolean()
      .meta({ description: 'The value contains secrets: encrypted when set here, never shown' }),
    scope: z
      .enum(['cluster', 'daemon'])
      .optional()
      .meta({ description: 'In mode `pro`: whether all daemons share the setting, or each has its own' }),
    pending: z.json().optional().meta({ description: 'Value that takes effect after a restart' }),
  })
  .meta({ id: 'Setting' });
export type Setting = z.output<typeof settingSchema>;

const settingKeySchema = z.string().min(1).max(200);

export const configRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/config',
    access: 'admin',
    summary: 'List settings with the origin of each value',
    query: pageQuerySchema,
    response: z.object({ settings: z.array(settingSchema), ...pageFields }),
  },
  update: {
    method: 'PUT',
    path: '/api/config/:key',
    access: 'admin',
    summary: 'Update a setting',
    params: z.object({ key: settingKeySchema }),
    body: z.object({ value: z.json().meta({ description: 'null removes the setting' }) }),
    response: messageSchema.extend({
      setting: settingSchema,
      daemon: z.string().optional().meta({
        description:
          'In mode `pro`, where each daemon has its own value: the name of the one that was changed',
      }),
    }),
  },
});

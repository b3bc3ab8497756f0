import { z } from 'zod';
import { defineRoutes } from './route.ts';

export const guardNameSchema = z.enum([
  'path-traversal',
  'shell-injection',
  'secret-exfiltration',
  'rate-limit',
]);
export type GuardName = z.output<typeof guardNameSchema>;

export const guardSchema = z
  .object({ name: guardNameSchema, enabled: z.boolean(), description: z.string() })
  .meta({ id: 'Guard' });
export type Guard = z.output<typeof guardSchema>;

export const guardsRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/security/guards',
    access: 'admin',
    summary: 'List guards',
    response: z.object({ guards: z.array(guardSchema) }),
  },
  update: {
    method: 'PUT',
    path: '/api/security/guards/:name',
    access: 'admin',
    summary: 'Enable or disable a guard',
    params: z.object({ name: guardNameSchema }),
    body: z.object({ enabled: z.boolean() }),
    response: z.object({ guard: guardSchema }),
  },
});

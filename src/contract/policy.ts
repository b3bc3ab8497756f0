import { z } from 'zod';
import { defineRoutes } from './route.ts';
import { securityModeSchema } from './security-mode.ts';

const toolNames = z
  .array(
    z
      .string()
      .trim()
      .max(200)
      .regex(/^[\w.:-]+\*?$/, 'Expected the name of a tool, or the beginning of one and a *'),
  )
  .max(500);

export const policySchema = z
  .object({
    defaultMode: securityModeSchema,
    allowedTools: toolNames.meta({
      description: 'Tools that need no approval; the only tools in mode `allowlist`',
    }),
    blockedTools: toolNames.meta({ description: 'Tools that never run, in any mode' }),
    requireApprovalFor: toolNames.meta({
      description: 'Tools that always need approval, except in mode `full`',
    }),
    auditAll: z.boolean().meta({
      description: 'Tool calls are always audited; false omits their results',
    }),
  })
  .meta({ id: 'Policy' });
export type Policy = z.output<typeof policySchema>;

export const policyRoutes = defineRoutes({
  get: {
    method: 'GET',
    path: '/api/security/policy',
    access: 'admin',
    summary: 'Get the tool policy',
    response: policySchema,
  },
  update: {
    method: 'PUT',
    path: '/api/security/policy',
    access: 'admin',
    summary: 'Update the tool policy',
    body: policySchema.partial(),
    response: policySchema,
  },
});

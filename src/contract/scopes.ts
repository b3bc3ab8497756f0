import { z } from 'zod';

/** What an API token may do. */
export const scopeSchema = z.enum([
  'gateway:write',
  'gateway:read',
  'tasks:read',
  'tasks:write',
  'webhooks:write',
  'agents:command',
  'metrics:read',
]);
export type Scope = z.output<typeof scopeSchema>;

/** How every API token begins, so that a leaked one is recognised. */
export const tokenPrefix = 'svc_';

import { z } from 'zod';

/** The scopes of API tokens. */
export const scopeSchema = z.enum([
  'gateway:write',
  'gateway:read',
  'tasks:read',
  'tasks:write',
  'webhooks:write',
  'agents:command',
  'metrics:read',
  'models:use',
  'memory:read',
]);
export type Scope = z.output<typeof scopeSchema>;

/** Prefix of every API token, which lets scanners find leaked ones. */
export const tokenPrefix = 'svc_';

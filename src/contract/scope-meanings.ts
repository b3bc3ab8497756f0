import type { Scope } from './scopes.ts';

/** What each scope of an API token allows. */
export const scopeMeanings: Record<Scope, string> = {
  'gateway:write': 'submit tasks through the gateway',
  'gateway:read': 'read the progress of gateway tasks',
  'tasks:read': 'read tasks',
  'tasks:write': 'create, cancel and retry tasks',
  'webhooks:write': 'deliver inbound webhooks',
  'agents:command': 'run commands on the machine; administrators only',
  'metrics:read': 'read metrics',
  'models:use': 'call models at /v1',
  'memory:read': 'search the memory',
};

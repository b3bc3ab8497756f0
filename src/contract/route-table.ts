// Generated from the contract by bin/generate.js. Do not edit.
import type { RouteTable } from './client.ts';

/** The routes without their schemas, for a client that has to start fast. */
export const routeTable = {
  agents: {
    list: { method: 'GET', path: '/api/agents' },
    types: { method: 'GET', path: '/api/agents/types' },
  },
  auth: {
    me: { method: 'GET', path: '/api/auth/me' },
    logout: { method: 'POST', path: '/api/auth/logout' },
    verifyAccessKey: { method: 'POST', path: '/api/auth/verify-access-key' },
    setAccessKey: { method: 'PUT', path: '/api/auth/access-key' },
  },
  config: {
    list: { method: 'GET', path: '/api/config' },
    set: { method: 'PUT', path: '/api/config/:key' },
  },
  dlq: {
    list: { method: 'GET', path: '/api/dlq' },
    get: { method: 'GET', path: '/api/dlq/:id' },
    retry: { method: 'POST', path: '/api/dlq/:id/retry' },
    discard: { method: 'POST', path: '/api/dlq/:id/discard' },
    resolve: { method: 'POST', path: '/api/dlq/:id/resolve' },
  },
  health: {
    get: { method: 'GET', path: '/api/health' },
    detailed: { method: 'GET', path: '/api/health/detailed' },
    ready: { method: 'GET', path: '/api/health/ready' },
    metrics: { method: 'GET', path: '/api/health/metrics' },
  },
  notifications: {
    list: { method: 'GET', path: '/api/notifications' },
    read: { method: 'POST', path: '/api/notifications/:id/read' },
  },
  queue: {
    status: { method: 'GET', path: '/api/queue/status' },
    pause: { method: 'POST', path: '/api/queue/pause' },
    resume: { method: 'POST', path: '/api/queue/resume' },
  },
  tasks: {
    list: { method: 'GET', path: '/api/tasks' },
    create: { method: 'POST', path: '/api/tasks' },
    filter: { method: 'GET', path: '/api/tasks/filter' },
    analytics: { method: 'GET', path: '/api/tasks/analytics' },
    export: { method: 'GET', path: '/api/tasks/export' },
    import: { method: 'POST', path: '/api/tasks/import' },
    get: { method: 'GET', path: '/api/tasks/:id' },
    cancel: { method: 'POST', path: '/api/tasks/:id/cancel' },
    retry: { method: 'POST', path: '/api/tasks/:id/retry' },
    release: { method: 'POST', path: '/api/tasks/:id/release' },
    events: { method: 'GET', path: '/api/tasks/:id/events', events: true },
  },
} as const satisfies RouteTable;

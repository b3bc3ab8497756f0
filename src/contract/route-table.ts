// Generated from the contract by bin/generate.js. Do not edit.
import type { RouteTable } from './client.ts';

/** The routes without their schemas, for a client that has to start fast. */
export const routeTable = {
  agents: {
    list: { method: 'GET', path: '/api/agents' },
    types: { method: 'GET', path: '/api/agents/types' },
  },
  auth: {
    signup: { method: 'POST', path: '/api/auth/signup' },
    login: { method: 'POST', path: '/api/auth/login' },
    logout: { method: 'POST', path: '/api/auth/logout' },
    me: { method: 'GET', path: '/api/auth/me' },
    updateMe: { method: 'PATCH', path: '/api/auth/me' },
    setPassword: { method: 'PUT', path: '/api/auth/password' },
    verifyAccessKey: { method: 'POST', path: '/api/auth/verify-access-key' },
    setAccessKey: { method: 'PUT', path: '/api/auth/access-key' },
    createSignInLink: { method: 'POST', path: '/api/auth/sign-in-links' },
    redeemSignInLink: { method: 'POST', path: '/api/auth/sign-in-links/redeem' },
  },
  config: {
    list: { method: 'GET', path: '/api/config' },
    set: { method: 'PUT', path: '/api/config/:key' },
  },
  devices: {
    list: { method: 'GET', path: '/api/devices' },
    rename: { method: 'PATCH', path: '/api/devices/:id' },
    revoke: { method: 'DELETE', path: '/api/devices/:id' },
    identity: { method: 'GET', path: '/api/devices/identity' },
    attest: { method: 'POST', path: '/api/devices/attest' },
    verify: { method: 'POST', path: '/api/devices/verify' },
  },
  dlq: {
    list: { method: 'GET', path: '/api/dlq' },
    get: { method: 'GET', path: '/api/dlq/:id' },
    retry: { method: 'POST', path: '/api/dlq/:id/retry' },
    discard: { method: 'POST', path: '/api/dlq/:id/discard' },
    resolve: { method: 'POST', path: '/api/dlq/:id/resolve' },
  },
  gateway: {
    submit: { method: 'POST', path: '/api/gateway' },
    status: { method: 'GET', path: '/api/gateway/:requestId/status' },
  },
  health: {
    get: { method: 'GET', path: '/api/health' },
    detailed: { method: 'GET', path: '/api/health/detailed' },
    ready: { method: 'GET', path: '/api/health/ready' },
    metrics: { method: 'GET', path: '/api/health/metrics' },
  },
  invites: {
    list: { method: 'GET', path: '/api/auth/invites' },
    create: { method: 'POST', path: '/api/auth/invites' },
    remove: { method: 'DELETE', path: '/api/auth/invites/:id' },
  },
  notifications: {
    list: { method: 'GET', path: '/api/notifications' },
    read: { method: 'POST', path: '/api/notifications/:id/read' },
  },
  oauth: {
    codehost: { method: 'GET', path: '/api/auth/codehost' },
    codehostCallback: { method: 'GET', path: '/api/auth/codehost/callback' },
    codehostUrl: { method: 'GET', path: '/api/auth/codehost/url' },
    codehostToken: { method: 'POST', path: '/api/auth/codehost/token' },
    trackerA: { method: 'GET', path: '/api/auth/tracker_a' },
    trackerACallback: { method: 'GET', path: '/api/auth/tracker_a/callback' },
    trackerB: { method: 'GET', path: '/api/auth/tracker_b' },
    trackerBCallback: { method: 'GET', path: '/api/auth/tracker_b/callback' },
  },
  pairing: {
    request: { method: 'POST', path: '/api/devices/pairing/request' },
    qr: { method: 'GET', path: '/api/devices/pairing/qr' },
    claim: { method: 'POST', path: '/api/devices/pairing/claim' },
    inspect: { method: 'POST', path: '/api/devices/pairing/inspect' },
    approve: { method: 'POST', path: '/api/devices/pairing/approve' },
    reject: { method: 'POST', path: '/api/devices/pairing/reject' },
    status: { method: 'GET', path: '/api/devices/pairing/status/:requestId' },
    pending: { method: 'GET', path: '/api/devices/pairing/pending' },
    cleanup: { method: 'POST', path: '/api/devices/pairing/cleanup' },
  },
  queue: {
    status: { method: 'GET', path: '/api/queue/status' },
    pause: { method: 'POST', path: '/api/queue/pause' },
    resume: { method: 'POST', path: '/api/queue/resume' },
  },
  security: {
    audit: { method: 'GET', path: '/api/security/audit' },
    verifyAudit: { method: 'GET', path: '/api/security/audit/verify' },
    auditEntry: { method: 'GET', path: '/api/security/audit/:id' },
  },
  sessions: {
    list: { method: 'GET', path: '/api/auth/sessions' },
    revoke: { method: 'DELETE', path: '/api/auth/sessions/:id' },
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
  tokens: {
    list: { method: 'GET', path: '/api/tokens' },
    create: { method: 'POST', path: '/api/tokens' },
    revoke: { method: 'DELETE', path: '/api/tokens/:id' },
  },
  users: {
    list: { method: 'GET', path: '/api/auth/users' },
    update: { method: 'PATCH', path: '/api/auth/users/:id' },
  },
} as const satisfies RouteTable;

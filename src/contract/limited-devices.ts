/**
 * The routes with a session that a limited device may call: it looks at what happens, decides, and cancels. What is not
 * listed is refused, so that a new route is closed until somebody opens it.
 */
const open: ReadonlySet<string> = new Set([
  'GET /api/agents',
  'GET /api/agents/sessions',
  'GET /api/agents/types',
  'GET /api/devices',
  'GET /api/dlq',
  'GET /api/dlq/:id',
  'GET /api/inbox',
  'GET /api/live',
  'GET /api/notifications',
  'POST /api/notifications/:id/read',
  'POST /api/notifications/:id/unread',
  'POST /api/inbox/read',
  'GET /api/notifications/push',
  'PUT /api/notifications/push',
  'DELETE /api/notifications/push/:id',
  'POST /api/notifications/push/:id/test',
  'GET /api/queue/status',
  'GET /api/security/approvals',
  'GET /api/security/approvals/:id',
  'POST /api/security/approvals/:id',
  'POST /api/security/approvals/:id/preview',
  'GET /api/tasks',
  'GET /api/tasks/filter',
  'GET /api/tasks/analytics',
  'GET /api/tasks/:id',
  'GET /api/tasks/:id/candidates',
  'GET /api/tasks/:id/changes',
  'GET /api/tasks/:id/changes/diff',
  'GET /api/tasks/:id/changes/files',
  'GET /api/tasks/:id/changes/patch',
  'GET /api/tasks/:id/checks',
  'GET /api/tasks/:id/events',
  'GET /api/tasks/:id/output',
  'GET /api/tasks/:id/output/search',
  'GET /api/tasks/:id/trace',
  'POST /api/tasks/:id/cancel',
  // What it decides is signed with a key of its own.
  'GET /api/auth/signing-keys',
  'POST /api/auth/signing-keys',
  'POST /api/auth/logout',
]);

/** Whether a device that may only look, decide and cancel may call a route; HEAD counts as GET. */
export const mayLimitedDevice = (method: string, path: string): boolean =>
  open.has(`${method === 'HEAD' ? 'GET' : method} ${path}`);

/** The routes that a limited device may call. */
export const routesOfLimitedDevices: readonly string[] = [...open];

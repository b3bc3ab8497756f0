/** What the audit log says of a call of a route. */
export type RouteAudit =
  /**
   * The caller carries the entry, with the names of the fields, to the transaction of the change. `after` is why it is
   * stored after the change instead.
   */
  | { event: string; after?: string }
  /** The feature appends the event itself, in the transaction of the change. */
  | { ownEvent: string }
  /** Why there is no entry. */
  | { none: string };

const reads = { none: 'It changes nothing' };
const isTask = { none: 'A task keeps its own events, with the user who caused them' };
const isConversation = { none: 'A conversation keeps what is said; the tools that it calls are audited' };
const isDelivery = { none: 'Deliveries have their own log' };
const isIndex = 'The index of files is a database of its own';
const isCompletion = { none: 'It stores nothing' };

/** Every route that changes something, also those with GET. */
export const routeAudit: Readonly<Record<string, RouteAudit>> = {
  'POST /api/auth/signup': { ownEvent: 'auth.sign_up' },
  'POST /api/auth/login': { ownEvent: 'auth.sign_in' },
  'POST /api/auth/logout': { ownEvent: 'auth.sign_out' },
  'PATCH /api/auth/me': { event: 'auth.profile_changed' },
  'PUT /api/auth/password': { ownEvent: 'auth.password_changed' },
  'POST /api/auth/verify-access-key': { ownEvent: 'auth.sign_in' },
  'PUT /api/auth/access-key': { ownEvent: 'auth.access_key_changed' },
  'POST /api/auth/sign-in-links': { event: 'auth.sign_in_link_created' },
  'POST /api/auth/sign-in-links/redeem': { ownEvent: 'auth.sign_in' },
  'DELETE /api/auth/sessions/:id': { ownEvent: 'auth.session_revoked' },
  'POST /api/auth/signing-keys': { ownEvent: 'signing_key.registered' },
  'DELETE /api/auth/signing-keys/:id': { ownEvent: 'signing_key.removed' },
  'POST /api/auth/invites': { ownEvent: 'auth.invite_created' },
  'DELETE /api/auth/invites/:id': { ownEvent: 'auth.invite_removed' },
  'PATCH /api/auth/users/:id': { ownEvent: 'auth.account_changed' },
  'POST /api/auth/codehost/token': { ownEvent: 'auth.sign_in' },
  'GET /api/auth/codehost/callback': { ownEvent: 'auth.sign_in' },
  'GET /api/auth/tracker_a/callback': { ownEvent: 'auth.connected' },
  'GET /api/auth/tracker_b/callback': { ownEvent: 'auth.connected' },
  'DELETE /api/integrations/codehost': { ownEvent: 'auth.disconnected' },
  'DELETE /api/integrations/tracker_a': { ownEvent: 'auth.disconnected' },
  'DELETE /api/integrations/tracker_b': { ownEvent: 'auth.disconnected' },
  'PUT /api/integrations/web-search': { ownEvent: 'web_search.configure' },
  'POST /api/tokens': { ownEvent: 'tokens.created' },
  'DELETE /api/tokens/:id': { ownEvent: 'tokens.revoked' },

  'POST /api/cluster/daemons/:id/drain': { event: 'cluster.daemon_drained' },
  'POST /api/cluster/daemons/:id/resume': { event: 'cluster.daemon_resumed' },

  'PATCH /api/devices/:id': { event: 'device.changed' },
  'DELETE /api/devices/:id': { ownEvent: 'device.revoked' },
  'POST /api/devices/attest': { ownEvent: 'device.attested' },
  'POST /api/devices/verify': reads,
  'POST /api/devices/pairing/request': { ownEvent: 'pairing.requested' },
  'GET /api/devices/pairing/qr': { ownEvent: 'pairing.requested' },
  'POST /api/devices/pairing/sign-in': { ownEvent: 'pairing.delivered' },
  'POST /api/devices/pairing/claim': { ownEvent: 'pairing.claimed' },
  'POST /api/devices/pairing/inspect': { none: 'It shows a request; a wrong code is audited' },
  'POST /api/devices/pairing/approve': { ownEvent: 'pairing.approved' },
  'POST /api/devices/pairing/reject': { ownEvent: 'pairing.rejected' },
  'POST /api/devices/pairing/cleanup': { event: 'pairing.cleaned_up' },

  'PUT /api/config/:key': { ownEvent: 'config.changed' },
  'PUT /api/security/policy': { ownEvent: 'policy.changed' },
  'PUT /api/security/guards/:name': { ownEvent: 'guard.changed' },
  'POST /api/security/approvals/:id/preview': reads,
  'POST /api/security/approvals/:id': { none: 'The decision is audited under the name of the tool' },
  'POST /api/chat/tools/approve': { none: 'The decision is audited under the name of the tool' },
  'POST /api/chat/providers': { ownEvent: 'provider.add' },
  'DELETE /api/chat/providers/:type': { ownEvent: 'provider.remove' },
  'POST /api/chat/providers/:type/configure': { ownEvent: 'provider.configure' },
  'POST /api/chat/providers/:type/health': { none: 'It checks a provider and notes how it is' },
  'POST /api/chat/providers/default': { ownEvent: 'provider.set_default' },

  'POST /api/chat/completions': isCompletion,
  'POST /api/chat/quick': isCompletion,
  'POST /api/chat/smart': isCompletion,
  'POST /api/chat/conversations': isConversation,
  'DELETE /api/chat/conversations/:id': { event: 'conversations.deleted' },
  'POST /api/chat/conversations/:id/stop': isConversation,
  'POST /api/chat/conversations/:id/compact': isConversation,
  'POST /api/chat/conversations/:id/undo': { ownEvent: 'conversations.undone' },
  'POST /api/chat/conversations/:id/messages': isConversation,
  'POST /api/chat/conversations/:id/messages/with-tools': isConversation,
  'POST /api/chat/conversations/:id/messages/agentic': isConversation,

  'POST /api/sandbox/test': { none: 'It removes all that it makes' },
  'POST /api/agents/:type/test': { event: 'agents.tested', after: 'It changes nothing' },

  'POST /api/tasks': isTask,
  'POST /api/tasks/import': { event: 'tasks.imported' },
  'DELETE /api/tasks/:id': { ownEvent: 'tasks.deleted' },
  'POST /api/backups': { event: 'backup.created', after: 'It changes nothing' },
  'POST /api/data/prune': { ownEvent: 'data.pruned' },
  'POST /api/data/worktrees/orphans/remove': {
    event: 'data.worktrees_removed',
    after: 'It removes directories, which are in no transaction',
  },
  'POST /api/data/archive': { ownEvent: 'audit.archived' },
  'PUT /api/notifications/push': { event: 'push.subscribed' },
  'DELETE /api/notifications/push/:id': { event: 'push.unsubscribed' },
  'POST /api/notifications/push/:id/test': { none: 'It sends a message to the caller' },
  'DELETE /api/notifications/:id': { none: 'It concerns only the list of the user who reads it' },
  'GET /api/tasks/export': { event: 'tasks.exported', after: 'It changes nothing' },
  'POST /api/tasks/:id/cancel': isTask,
  'POST /api/tasks/:id/retry': isTask,
  'POST /api/tasks/:id/pick': isTask,
  'POST /api/tasks/:id/undo': { ownEvent: 'tasks.undone' },
  'POST /api/tasks/:id/changes/apply': { ownEvent: 'tasks.changes_applied' },
  'POST /api/tasks/:id/changes/commit': { ownEvent: 'tasks.changes_committed' },
  'POST /api/tasks/:id/changes/push': { ownEvent: 'tasks.changes_pushed' },
  'POST /api/tasks/:id/changes/pull-request': { ownEvent: 'tasks.pull_request_opened' },
  'POST /api/tasks/:id/changes/discard': { ownEvent: 'tasks.changes_discarded' },
  'POST /api/tasks/:id/release': { event: 'tasks.released' },
  'POST /api/gateway': isTask,
  'POST /api/queue/pause': { event: 'queue.paused' },
  'POST /api/queue/resume': { event: 'queue.resumed' },
  'POST /api/dlq/:id/retry': { event: 'dlq.retried' },
  'POST /api/dlq/:id/discard': { event: 'dlq.discarded' },
  'POST /api/dlq/:id/resolve': { event: 'dlq.resolved' },
  'POST /api/schedules': { event: 'schedules.created' },
  'POST /api/schedules/preview': reads,
  'PATCH /api/schedules/:id': { event: 'schedules.changed' },
  'POST /api/schedules/:id/run': { event: 'schedules.run' },
  'DELETE /api/schedules/:id': { event: 'schedules.deleted' },
  'POST /api/inbox/read': { none: 'It marks notifications of the caller' },
  'POST /api/notifications/:id/read': { none: 'It marks a notification of the caller' },
  'POST /api/notifications/:id/unread': { none: 'It marks a notification of the caller' },

  'POST /api/memory/search': reads,
  'POST /api/memory/why': reads,
  'POST /api/memory/sync': { event: 'memory.synced', after: isIndex },
  'DELETE /api/memory/sync': { event: 'memory.sync_cancelled', after: isIndex },
  'DELETE /api/memory/chunks/:id': { event: 'memory.chunk_deleted', after: isIndex },
  'DELETE /api/memory/files/:path': { event: 'memory.file_deleted', after: isIndex },
  'DELETE /api/memory/all': { event: 'memory.cleared', after: isIndex },
  'POST /api/memory/sessions': { event: 'memory.session_created' },
  'POST /api/memory/sessions/:id/archive': { event: 'memory.session_archived' },
  'POST /api/memory/warm': reads,
  'POST /api/memory/experiences': { event: 'experiences.created' },
  'POST /api/memory/experiences/:id/use': { none: 'It counts a use' },
  'DELETE /api/memory/experiences/:id': { event: 'experiences.deleted' },
  'POST /api/memory/experiences/decay': { event: 'experiences.decayed' },
  'POST /api/memory/experiences/prune': { event: 'experiences.pruned' },
  'POST /api/memory/preferences': { none: 'It counts what the caller prefers' },
  'DELETE /api/memory/preferences/:userId/:id': { event: 'preferences.deleted' },

  'POST /api/webhooks': { ownEvent: 'webhooks.created' },
  'PATCH /api/webhooks/:id': { ownEvent: 'webhooks.changed' },
  'DELETE /api/webhooks/:id': { ownEvent: 'webhooks.removed' },
  'POST /api/webhooks/:id/rotate-secret': { ownEvent: 'webhooks.secret_rotated' },
  'POST /api/webhooks/:id/test': { event: 'webhooks.tested' },
  'POST /api/webhooks/:id/deliveries/:deliveryId/redeliver': { event: 'webhooks.redelivered' },
  'POST /api/webhooks/codehost': isDelivery,
  'POST /api/webhooks/tracker_a': isDelivery,
  'POST /api/webhooks/tracker_b': isDelivery,
  'POST /api/webhooks/inbound/:id/replay': { ownEvent: 'webhooks.replayed' },
};

import type { Access } from '../../src/contract/route.ts';
import type { Scope } from '../../src/contract/scopes.ts';

export interface AccessRow {
  access: Access;
  scopes?: readonly Scope[];
  /** A `public` route that asks for a session by itself, or answers 401 in a form of its own. */
  asksItself?: true;
  /** A vendor sends the browser here from its own site. */
  crossSite?: true;
}

const open: AccessRow = { access: 'public' };
const session: AccessRow = { access: 'session' };
const admin: AccessRow = { access: 'admin' };
const reads: AccessRow = { access: 'session', scopes: ['tasks:read', 'tasks:write'] };
const writes: AccessRow = { access: 'session', scopes: ['tasks:write'] };
const back: AccessRow = { access: 'public', crossSite: true };

/** Who may call what: written by hand, so that a change of the contract is seen here. */
export const accessTable: Record<string, AccessRow> = {
  'agents.list': session,
  'agents.types': session,
  'auth.createSignInLink': session,
  'auth.login': open,
  'auth.logout': session,
  'auth.me': { ...open, asksItself: true },
  'auth.redeemSignInLink': open,
  'auth.setAccessKey': admin,
  'auth.setPassword': session,
  'auth.signup': open,
  'auth.updateMe': session,
  'auth.verifyAccessKey': open,
  'chat.completions': session,
  'chat.models': session,
  'chat.quick': session,
  'chat.smart': session,
  'config.list': admin,
  'config.set': admin,
  'conversations.create': session,
  'conversations.get': session,
  'conversations.list': session,
  'conversations.remove': session,
  'conversations.send': session,
  'devices.attest': session,
  'devices.identity': session,
  'devices.list': session,
  'devices.rename': session,
  'devices.revoke': session,
  'devices.verify': session,
  'dlq.discard': session,
  'dlq.get': session,
  'dlq.list': session,
  'dlq.resolve': session,
  'dlq.retry': session,
  'gateway.status': { access: 'token', scopes: ['gateway:read', 'gateway:write'] },
  'gateway.submit': { access: 'token', scopes: ['gateway:write'] },
  'health.detailed': session,
  'health.get': open,
  'health.metrics': session,
  'health.ready': open,
  'invites.create': admin,
  'invites.list': admin,
  'invites.remove': admin,
  'notifications.list': session,
  'notifications.read': session,
  'oauth.codehost': open,
  'oauth.codehostCallback': back,
  'oauth.codehostToken': open,
  'oauth.codehostUrl': open,
  'oauth.trackerA': open,
  'oauth.trackerACallback': { ...back, asksItself: true },
  'oauth.trackerB': open,
  'oauth.trackerBCallback': { ...back, asksItself: true },
  'pairing.approve': session,
  'pairing.claim': open,
  'pairing.cleanup': session,
  'pairing.inspect': session,
  'pairing.pending': admin,
  'pairing.qr': session,
  'pairing.reject': session,
  'pairing.request': open,
  'pairing.status': open,
  'providers.configure': admin,
  'providers.health': session,
  'providers.list': session,
  'providers.models': session,
  'providers.setDefault': admin,
  'queue.pause': admin,
  'queue.resume': admin,
  'queue.status': session,
  'security.audit': admin,
  'security.auditEntry': admin,
  'security.verifyAudit': admin,
  'sessions.list': session,
  'sessions.revoke': session,
  'tasks.analytics': session,
  'tasks.cancel': writes,
  'tasks.create': writes,
  'tasks.events': reads,
  'tasks.export': session,
  'tasks.filter': reads,
  'tasks.get': reads,
  'tasks.import': admin,
  'tasks.list': reads,
  'tasks.release': session,
  'tasks.retry': writes,
  'tokens.create': session,
  'tokens.list': session,
  'tokens.revoke': session,
  'users.list': admin,
  'users.update': admin,
};

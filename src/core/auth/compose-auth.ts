import type { Locations } from '../../contract/locations.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Config } from '../config/config.ts';
import { AccessWatch } from './access-watch.ts';
import { PairingStore } from './pairing-store.ts';
import type { EventBus } from '../events.ts';
import type { Feature } from '../lifecycle.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { TokenService } from './tokens/token-service.ts';
import { AccessKeyService } from './access-key-service.ts';
import { AccountService } from './account-service.ts';
import { InviteService } from './invite-service.ts';
import { KnownClients } from './known-clients.ts';
import { KeyHasher } from './key-hasher.ts';
import { OneTimeTokens } from './one-time-tokens.ts';
import { ensureOwner, retireOwner } from './owner-service.ts';
import { Registration } from './registration.ts';
import { SessionService } from './session-service.ts';
import { SessionStore } from './session-store.ts';
import { SetupCode } from './setup-code.ts';
import { SignInLinkService } from './sign-in-link-service.ts';
import { UserAdminService } from './user-admin-service.ts';
import { UserStore } from './user-store.ts';

export interface AuthDeps {
  database: Database;
  bus: EventBus;
  daemon: DaemonIdentity;
  config: Config;
  keys: KeyRing;
  audit: AuditLog;
  runtime: Runtime;
  locations: Locations;
  /** True when only this machine can reach the daemon. */
  isLoopback: boolean;
  /** Reports an error that no caller can receive. */
  reportBug: (error: unknown) => void;
}

/** Composes sign-in and rights; in local mode it also creates the owner of the machine as a user. */
export async function composeAuth(deps: AuthDeps) {
  const { database, bus, config, daemon, keys, runtime, locations } = deps;
  const isLocalMode = config.get('system.authMode') === 'local';
  const sessions = new SessionService({ ...deps, store: new SessionStore(database) });
  const owner = { database, daemon, sessions, runtime, sessionFile: locations.ownerSessionFile };
  await (isLocalMode ? ensureOwner(owner) : retireOwner(owner));
  const hasher = new KeyHasher();
  const isProxied =
    config.get('server.baseUrl') !== undefined || config.get('server.trustedProxies').length > 0;
  const accessKey = await AccessKeyService.load({ ...deps, sessions, hasher, isLocalMode, isProxied });
  const knownClients = await KnownClients.load(deps);
  const users = new UserStore(database);
  const pairings = new PairingStore();
  const setupCode = new SetupCode(locations.setupCodeFile);
  if (await users.hasAccounts()) setupCode.forget();
  else if (!isLocalMode) await setupCode.ensure({ database, box: keys.box, runtime });
  // Also where another daemon has created the account.
  bus.on('users_changed', () => setupCode.forget());
  const invites = new InviteService(deps);
  const registration = new Registration({ ...deps, users, invites, setupCode });
  const oneTimeTokens = new OneTimeTokens({ database, box: keys.box, runtime });
  const tokens = new TokenService(deps);
  // What other daemons ended is refused here before the caches forget it by themselves.
  for (const event of ['session_ended', 'token_ended', 'rights_changed'] as const)
    bus.onRemote(event, () => {
      sessions.forget();
      tokens.forget();
    });
  const accessWatch = new AccessWatch({
    ...deps,
    lookUp: async (caller) => {
      if (caller.token) return tokens.lookUpId(caller.token.id);
      if (caller.sessionHash !== undefined) return sessions.lookUpHash(caller.sessionHash);
      return accessKey.isOpen ? caller : undefined;
    },
  });
  const services = {
    accessWatch,
    sessions,
    knownClients,
    accessKey,
    users,
    setupCode,
    invites,
    registration,
    oneTimeTokens,
    tokens,
    pairings,
    accounts: new AccountService({ ...deps, users, registration, sessions, hasher, pairings }),
    userAdmin: new UserAdminService({ ...deps, users, sessions, tokens }),
    signInLinks: new SignInLinkService({ ...deps, oneTimeTokens, users, sessions }),
  };
  return { services, lifecycle: { stop: () => hasher.close() } } satisfies Feature<typeof services>;
}

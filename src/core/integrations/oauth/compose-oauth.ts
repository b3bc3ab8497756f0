import type { Feature } from '../../lifecycle.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import { ConnectionService, type ConnectionServiceDeps } from './connection-service.ts';
import { ConnectionStore } from './connection-store.ts';
import { OAuthFlow, type OAuthFlowDeps } from './oauth-flow.ts';
import { OAuthSignIn, type OAuthSignInDeps } from './oauth-sign-in.ts';
import { TokenGrants } from './token-grants.ts';

type Own = 'store' | 'grants' | 'connections';
type OAuthDeps = Omit<ConnectionServiceDeps & OAuthFlowDeps & OAuthSignInDeps, Own> & {
  keys: { box: SecretBox };
};

/** Sign-in with GitHub, and the accounts at vendors that users connect. */
export function composeOAuth(deps: OAuthDeps) {
  const grants = new TokenGrants(deps);
  const store = new ConnectionStore(deps.database, deps.keys.box);
  const connections = new ConnectionService({ ...deps, store, grants });
  const services = {
    oauthFlow: new OAuthFlow({ ...deps, grants }),
    oauthSignIn: new OAuthSignIn({ ...deps, store, connections }),
    connections,
  };
  return { services, lifecycle: {} } satisfies Feature<typeof services>;
}

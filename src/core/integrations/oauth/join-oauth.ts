import type { SecretBox } from '../../secrets/secret-box.ts';
import { ConnectionService, type ConnectionServiceParts } from './connection-service.ts';
import { ConnectionStore } from './connection-store.ts';
import { OAuthFlow, type OAuthFlowParts } from './oauth-flow.ts';
import { OAuthSignIn, type OAuthSignInParts } from './oauth-sign-in.ts';
import { TokenGrants } from './token-grants.ts';

type Own = 'store' | 'grants' | 'connections';
type OAuthParts = Omit<ConnectionServiceParts & OAuthFlowParts & OAuthSignInParts, Own> & {
  keys: { box: SecretBox };
};

/** Sign-in with the code host, and the accounts at vendors that users connect. */
export function joinOAuth(parts: OAuthParts) {
  const grants = new TokenGrants(parts);
  const store = new ConnectionStore(parts.database, parts.keys.box);
  const connections = new ConnectionService({ ...parts, store, grants });
  return {
    oauthFlow: new OAuthFlow({ ...parts, grants }),
    oauthSignIn: new OAuthSignIn({ ...parts, store, connections }),
    connections,
  };
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Flags } from '../../src/core/config/config.ts';
import type { GithubServer } from './github-server.ts';

/** The account of whoever signs in there. */
const account = { id: 1, login: 'ana', name: 'Ana Ruiz', email: 'ana@example.org', avatar_url: null };

export interface GithubAccounts extends AsyncDisposable {
  flags: Flags;
}

/** Where people allow svc to use their account at GitHub: whoever comes is Ana, and allows it at once. */
export async function startGithubAccounts(github: GithubServer): Promise<GithubAccounts> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'a-code');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return response.writeHead(302, { location: back.href }).end();
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ access_token: github.token, token_type: 'bearer', scope: 'repo,user:email' }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  github.interfere = ({ path }) => {
    if (path === '/user')
      return { status: 200, body: account, headers: { 'x-oauth-scopes': 'repo, user:email' } };
    if (path.startsWith('/user/emails'))
      return { status: 200, body: [{ email: account.email, primary: true, verified: true }] };
    return undefined;
  };
  return {
    flags: {
      'integrations.github.authorizeUrl': `${url}/authorize`,
      'integrations.github.tokenUrl': `${url}/token`,
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

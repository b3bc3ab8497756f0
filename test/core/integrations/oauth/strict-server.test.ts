import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TokenGrants } from '../../../../src/core/integrations/oauth/token-grants.ts';
import { createOutboundFetch } from '../../../../src/core/outbound/outbound-fetch.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { refusalOf, TestBrowser } from '../../../helpers/test-browser.ts';

const callbackPath = '/api/auth/codehost/callback';
const client = { id: 'svc', secret: 'a-secret-of-the-test' };

const server = createServer();
const outbound = createOutboundFetch(() => ['127.0.0.0/8']);
let issuer: string;
let daemon: TestDaemon;
let grants: TokenGrants;

/** A public OpenID provider that takes nothing that is not by the book, with the API of a code host beside it. */
function strictServer(redirectUri: string) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: ['a-key-of-the-test'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    routes: { authorization: '/authorize' },
    interactions: { url: () => '/interaction' },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    loadExistingGrant: async ({ oidc }: { oidc: GrantContext }) => {
      const { clientId } = oidc.client;
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  });
  const serve = provider.callback();
  return (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/interaction')
      void provider.interactionFinished(request, response, { login: { accountId: 'mona' } });
    else if (request.url?.startsWith('/api/')) void answerAsCodeHost(request, response);
    else serve(request, response);
  };
}
interface GrantContext {
  client: { clientId: string };
  session: { accountId: string };
  provider: {
    Grant: new (of: { clientId: string; accountId: string }) => {
      addOIDCScope(scope: string): void;
      save(): Promise<unknown>;
    };
  };
}

async function answerAsCodeHost({ url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const info = await fetch(`${issuer}/me`, { headers: { authorization: headers.authorization ?? '' } });
  const { sub } = (await info.json()) as { sub?: string };
  const body = url === '/api/user' ? { id: 77, login: sub, name: 'Mona' } : [];
  response.writeHead(info.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

beforeEach(async () => {
  // It tells developers what they should change for use in production.
  vi.spyOn(console, 'warn').mockReturnValue();
  vi.spyOn(console, 'info').mockReturnValue();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  daemon = await startDaemon({
    flags: {
      'outbound.allowPrivate': ['127.0.0.0/8'],
      'integrations.github.clientId': client.id,
      'integrations.github.clientSecret': client.secret,
      'integrations.github.authorizeUrl': `${issuer}/authorize`,
      'integrations.github.tokenUrl': `${issuer}/token`,
      'integrations.github.apiUrl': `${issuer}/api`,
      'integrations.github.scopes': ['openid'],
    },
  });
  server.on('request', strictServer(daemon.url + callbackPath));
  const parts = { config: daemon.app.config, fetch: outbound.fetch, runtime: systemRuntime };
  grants = new TokenGrants(parts);
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await outbound.close();
  server.removeAllListeners('request');
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  vi.restoreAllMocks();
});

/** A code that the server gave for a challenge of ours, and what it takes to use it. */
async function givenCode() {
  const codeVerifier = systemRuntime.newSecret(32);
  const browser = new TestBrowser(daemon.url);
  const redirectUri = daemon.url + callbackPath;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope: 'openid',
    state: 'S',
    code_challenge: await grants.challengeOf(codeVerifier),
    code_challenge_method: 'S256',
  });
  const back = new URL(await browser.agree(`${issuer}/authorize?${query.toString()}`));
  const callback = Object.fromEntries(back.searchParams);
  expect(callback).toMatchObject({ code: expect.any(String), state: 'S', iss: issuer });
  return { callback, state: 'S', redirectUri, codeVerifier };
}

describe('a strict OAuth server', () => {
  it('the whole flow passes a strict OAuth server', async () => {
    const browser = new TestBrowser(daemon.url);
    const response = await browser.open(await browser.agree('/api/auth/codehost'));
    expect(response.status).toBe(302);
    expect(await (await browser.open('/api/auth/me')).json()).toMatchObject({
      user: { name: 'Mona', email: '77+mona@users.noreply.github.com', connectedAccounts: ['codehost'] },
    });
  });

  it('a strict OAuth server accepts a code with its verifier once', async () => {
    const exchange = await givenCode();
    expect((await grants.exchange('github', exchange)).accessToken).toMatch(/^[\w-]+$/);
    await expect(grants.exchange('github', exchange)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'GitHub did not take the code (invalid_grant). Start again.',
    });
  });

  it.each([
    ['another verifier', { codeVerifier: 'x'.repeat(43) }],
    ['another redirect URI', { redirectUri: 'http://127.0.0.1:1/' }],
  ])('a strict OAuth server rejects a code with %s', async (_, change) => {
    const exchange = await givenCode();
    await expect(grants.exchange('github', { ...exchange, ...change })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('a strict OAuth server issues no code without a challenge', async () => {
    const browser = new TestBrowser(daemon.url);
    const start = new URL(await browser.leadsTo('/api/auth/codehost'));
    start.searchParams.delete('code_challenge');
    start.searchParams.delete('code_challenge_method');
    const back = await browser.leadsTo(start.href);
    expect(new URL(back).searchParams.get('code')).toBeNull();
    expect(await refusalOf(await browser.open(back))).toEqual([
      403,
      'GitHub gave no access (invalid_request)',
    ]);
  });
});

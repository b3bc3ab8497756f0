import { describe, expect, it } from 'vitest';
import { Config } from '../../../../src/core/config/config.ts';
import { TokenGrants } from '../../../../src/core/integrations/oauth/token-grants.ts';
import { AppError } from '../../../../src/core/errors.ts';
import type { OutboundRequest } from '../../../../src/core/outbound/outbound-fetch.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { hasSharedFixtures, sharedFixture } from '../../../helpers/shared-fixture.ts';

const config = new Config({
  env: {},
  settingsFile: '/nowhere/settings.json',
  flags: {
    'integrations.github.clientId': 'our id',
    'integrations.github.clientSecret': 's3cr3t&=',
    'integrations.jira.clientId': 'our id',
    'integrations.jira.clientSecret': 's3cr3t&=',
    'integrations.linear.clientId': 'our id',
    'integrations.linear.clientSecret': 's3cr3t&=',
  },
});
const runtime = { ...systemRuntime, now: () => new Date('2026-05-01T12:00:00.000Z') };

/** Grants of vendors that answer this. */
function grantsWith(status: number, body: unknown) {
  const sent: (OutboundRequest & { url: string })[] = [];
  const grants = new TokenGrants({
    config,
    runtime,
    fetch: async (url, request) => {
      sent.push({ url, ...request });
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return { status, headers: new Headers(), text };
    },
  });
  return { grants, sent };
}
const exchange = {
  callback: { code: 'the-code', state: 'S' },
  state: 'S',
  redirectUri: 'https://svc.example.org/cb?a=b c',
  codeVerifier: 'v'.repeat(43),
};
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      expect(error.cause).toBeUndefined();
      expect(JSON.stringify([error.message, error.details])).not.toMatch(/the-code|vvvv|s3cr3t|a-token/);
      return error.code;
    },
  );

describe.skipIf(!hasSharedFixtures)('a code challenge', () => {
  it('the code challenge matches RFC 7636', async () => {
    const vector = sharedFixture<{ verifier: string; challengeS256: string }>('vectors/pkce.json');
    const { grants } = grantsWith(200, {});
    expect(await grants.challengeOf(vector?.verifier ?? '')).toBe(vector?.challengeS256);
  });
});

describe('a token request', () => {
  const parameters = {
    grant_type: 'authorization_code',
    code: 'the-code',
    redirect_uri: exchange.redirectUri,
    code_verifier: exchange.codeVerifier,
    client_id: 'our id',
    client_secret: 's3cr3t&=',
  };

  it.each([
    ['github', 'https://github.com/login/oauth/access_token'],
    ['linear', 'https://api.linear.app/oauth/token'],
  ] as const)('a token request to %s is a form', async (provider, url) => {
    const { grants, sent } = grantsWith(200, { access_token: 'a-token', token_type: 'bearer' });
    await grants.exchange(provider, exchange);
    const [request] = sent;
    expect(request).toMatchObject({ url, method: 'POST' });
    expect(request?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    });
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual(parameters);
  });

  it('a token request to jira is JSON', async () => {
    const { grants, sent } = grantsWith(200, { access_token: 'a-token' });
    await grants.exchange('jira', exchange);
    expect(sent[0]).toMatchObject({ url: 'https://auth.atlassian.com/oauth/token', method: 'POST' });
    expect(sent[0]?.headers?.['content-type']).toBe('application/json');
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual(parameters);
    await grants.refresh('jira', 'old');
    expect(JSON.parse(sent[1]?.body ?? '')).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'old',
      client_id: 'our id',
      client_secret: 's3cr3t&=',
    });
  });
});

describe('a token response', () => {
  const nothing = { refreshToken: undefined, expiresAt: undefined, scopes: undefined };
  it.each([
    ['the least', { access_token: 'a', token_type: 'Bearer' }, nothing],
    ['no type', { access_token: 'a' }, nothing],
    [
      'scopes with commas',
      { access_token: 'a', scope: 'repo,user:email' },
      { scopes: ['repo', 'user:email'] },
    ],
    ['scopes with blanks', { access_token: 'a', scope: 'read write' }, { scopes: ['read', 'write'] }],
    ['a list of scopes', { access_token: 'a', scope: ['read', 'write'] }, { scopes: ['read', 'write'] }],
    ['an end', { access_token: 'a', expires_in: 3600 }, { expiresAt: '2026-05-01T13:00:00.000Z' }],
    ['an end as text', { access_token: 'a', expires_in: '60' }, { expiresAt: '2026-05-01T12:01:00.000Z' }],
    ['no end in sight', { access_token: 'a', expires_in: 1e300 }, { expiresAt: '2126-04-07T12:00:00.000Z' }],
    ['a refresh token', { access_token: 'a', refresh_token: 'r' }, { refreshToken: 'r' }],
  ])('accepts a token response with %s', async (_, body, tokens) => {
    const { grants } = grantsWith(200, body);
    expect(await grants.exchange('linear', exchange)).toEqual({ accessToken: 'a', ...nothing, ...tokens });
  });

  it.each([
    ['an error with status 200', 200, { error: 'bad_verification_code' }, 'unauthenticated'],
    ['an error and a token', 200, { error: 'x', access_token: 'a-token' }, 'unauthenticated'],
    ['a refusal', 400, { error: 'invalid_grant', error_description: 'the-code' }, 'unauthenticated'],
    ["Atlassian's refusal", 403, { error: 'unauthorized_client' }, 'unauthenticated'],
    ['a wrong secret', 401, { error: 'invalid_client' }, 'configuration'],
    ["GitHub's wrong secret", 200, { error: 'incorrect_client_credentials' }, 'configuration'],
    ['a fault', 400, { error: 'temporarily_unavailable' }, 'unavailable'],
    ['no JSON', 200, 'access_token=a-token&token_type=bearer', 'unavailable'],
    ['HTML', 403, '<h1>Forbidden</h1>', 'unavailable'],
    ['a list', 200, ['a-token'], 'unavailable'],
    ['no token', 200, { token_type: 'bearer', refresh_token: 'a-token' }, 'unavailable'],
    ['an empty token', 200, { access_token: '' }, 'unavailable'],
    ['another type of token', 200, { access_token: 'a-token', token_type: 'mac' }, 'unavailable'],
    ['nothing', 204, '', 'unavailable'],
    ['an end that is no number', 200, { access_token: 'a-token', expires_in: 'soon' }, 'unavailable'],
    ['a redirect', 302, '', 'unavailable'],
    ['too many requests', 429, { error: 'slow_down' }, 'unavailable'],
    ['a breakdown', 502, '', 'unavailable'],
    ['another page', 404, { error: 'invalid_grant' }, 'unavailable'],
  ])(
    'a token response with %s yields no tokens, and the error reveals no secret',
    async (_, status, body, code) => {
      const { grants } = grantsWith(status, body);
      expect(await outcome(grants.exchange('github', exchange))).toBe(code);
      expect(await outcome(grants.refresh('github', 'the-code'))).toBe(code);
    },
  );
});

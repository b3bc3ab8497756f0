import { describe, expect, it } from 'vitest';
import type { Vendor } from '../../../../src/contract/vendors.ts';
import { revokeGrant } from '../../../../src/core/integrations/oauth/grant-revocation.ts';
import { oauthProviders } from '../../../../src/core/integrations/oauth/oauth-providers.ts';
import type { OutboundRequest } from '../../../../src/core/outbound/outbound-fetch.ts';

/** Revokes at a vendor that answers these, one after another. */
async function revokeAt(name: Vendor, statuses: number[], refreshToken?: string) {
  const sent: (OutboundRequest & { url: string })[] = [];
  const client = {
    provider: oauthProviders[name],
    clientId: 'our/id',
    clientSecret: 'a:secret',
    authorizeUrl: '',
    tokenUrl: 'https://api.example/oauth/token',
    apiUrl: 'https://api.example',
    scopes: [],
  };
  const isRevoked = await revokeGrant(
    client,
    async (url, request) => {
      sent.push({ url, ...request });
      return { status: statuses[sent.length - 1] ?? 500, headers: new Headers(), text: '' };
    },
    { accessToken: 'a', refreshToken },
  );
  return { isRevoked, sent };
}

describe('revoking a grant', () => {
  it.each([
    [204, true],
    [404, false],
    [401, false],
  ])('GitHub answers %d to a revocation, and the grant is revoked: %s', async (status, expected) => {
    const { isRevoked, sent } = await revokeAt('github', [status]);
    expect(isRevoked).toBe(expected);
    expect(sent).toMatchObject([
      {
        method: 'DELETE',
        url: 'https://api.example/applications/our%2Fid/grant',
        headers: { authorization: `Basic ${Buffer.from('our/id:a:secret').toString('base64')}` },
        body: '{"access_token":"a"}',
      },
    ]);
  });

  it.each([
    ['with the access token', [200], 'r', true, ['access_token=a']],
    [
      'with the refresh token where that has expired',
      [400, 200],
      'r',
      true,
      ['access_token=a', 'refresh_token=r'],
    ],
    ['not at all', [401, 400], 'r', false, ['access_token=a', 'refresh_token=r']],
    ['not without a refresh token', [400], undefined, false, ['access_token=a']],
  ] as const)('a revocation at Linear works %s', async (_, statuses, refreshToken, expected, bodies) => {
    const { isRevoked, sent } = await revokeAt('linear', [...statuses], refreshToken);
    expect(isRevoked).toBe(expected);
    expect(sent.map(({ body }) => body)).toEqual(bodies);
    expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://api.example/oauth/revoke' });
  });

  it('sends no revocation to Atlassian', async () => {
    expect(await revokeAt('jira', [])).toEqual({ isRevoked: false, sent: [] });
  });
});

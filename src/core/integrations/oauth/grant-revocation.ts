import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import type { OAuthClient } from './oauth-providers.ts';
import { askVendor } from '../../outbound/vendor-requests.ts';

interface StoredTokens {
  accessToken: string;
  refreshToken: string | undefined;
}

/** Revokes a grant at the vendor; returns whether the vendor confirmed. */
export async function revokeGrant(
  client: OAuthClient,
  fetch: OutboundFetch,
  { accessToken, refreshToken }: StoredTokens,
): Promise<boolean> {
  const { name, vendor } = client.provider;
  // Atlassian has no such endpoint: people revoke the grant in their account, and the token expires.
  if (name === 'jira') return false;
  if (name === 'github') {
    const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
    const { status } = await askVendor(
      fetch,
      vendor,
      `${client.apiUrl}/applications/${encodeURIComponent(client.clientId)}/grant`,
      {
        method: 'DELETE',
        headers: {
          accept: 'application/vnd.github+json',
          authorization: `Basic ${basic}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ access_token: accessToken }),
      },
    );
    return status === 204;
  }
  const revoke = async (token: Record<string, string>) => {
    const { status } = await askVendor(fetch, vendor, new URL('revoke', client.tokenUrl).href, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(token).toString(),
    });
    return status === 200;
  };
  // An expired access token revokes nothing; the refresh token does.
  return (
    (await revoke({ access_token: accessToken })) ||
    (refreshToken !== undefined && (await revoke({ refresh_token: refreshToken })))
  );
}

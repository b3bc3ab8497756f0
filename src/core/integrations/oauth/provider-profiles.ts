import { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';
import { emailSchema } from '../../../contract/users.ts';
import { AppError } from '../../errors.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import type { OAuthClient } from './oauth-providers.ts';
import { askVendor, type VendorAnswer, type VendorRequest } from '../../outbound/vendor-requests.ts';

/** The account that was connected. */
export interface ProviderProfile {
  /** The vendor's own id of the account, which never changes. */
  accountId: string;
  login: string;
  name: string;
  /** Only where the vendor has verified it. */
  email: string | undefined;
  avatarUrl: string | undefined;
  /** The name that status pages show. */
  account: Record<string, unknown>;
  /** The granted scopes, if the API reports them. */
  scopes: string[] | undefined;
}

interface Api {
  client: OAuthClient;
  fetch: OutboundFetch;
  accessToken: string;
}

/** Reads the profile of the token's account. */
export function fetchProfile(api: Api): Promise<ProviderProfile> {
  return { github: githubProfile, jira: atlassianProfile, linear: linearProfile }[api.client.provider.name](
    api,
  );
}

const githubUser = z.object({
  id: z.int(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
});
const githubEmails = z.array(z.object({ email: z.string(), verified: z.boolean(), primary: z.boolean() }));

async function githubProfile(api: Api): Promise<ProviderProfile> {
  const headers = { accept: 'application/vnd.github+json' };
  const answer = await ask(api, '/user', { method: 'GET', headers });
  const { id, login, name, avatar_url } = read(api, githubUser, answer);
  const emails = await ask(api, '/user/emails?per_page=100', { method: 'GET', headers });
  // People may withhold the scope that shows addresses; the public one of /user may not be verified.
  const known = emails.status === 200 ? read(api, githubEmails, emails) : [];
  const primary = known.find((entry) => entry.primary && entry.verified);
  const avatarUrl = httpsOnly(avatar_url);
  return {
    accountId: String(id),
    login,
    name: name?.trim() || login,
    email: safeParse(emailSchema, primary?.email).data,
    avatarUrl,
    account: { username: login, avatarUrl },
    // People may grant fewer scopes than requested; only this header reports them.
    scopes: answer.headers.get('x-oauth-scopes')?.split(/[ ,]+/).filter(Boolean),
  };
}

const atlassianUser = z.object({
  account_id: z.string(),
  name: z.string(),
  nickname: z.string().nullish(),
  picture: z.string().nullish(),
});
const atlassianSites = z.array(
  z.object({ id: z.string(), name: z.string(), url: z.string(), scopes: z.array(z.string()).default([]) }),
);

async function atlassianProfile(api: Api): Promise<ProviderProfile> {
  const user = read(api, atlassianUser, await ask(api, '/me', { method: 'GET' }));
  const answer = await ask(api, '/oauth/token/accessible-resources', { method: 'GET' });
  const resources = read(api, atlassianSites, answer);
  // A Confluence site comes with other scopes; the order of the list means nothing.
  const sites = resources
    .filter(({ scopes }) => scopes.some((scope) => scope.includes('jira')))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ id, name, url }) => ({ id, name, url }));
  const [site] = sites;
  if (!site) throw new AppError('forbidden', 'This Atlassian account granted access to no Jira site');
  return {
    accountId: user.account_id,
    login: user.nickname ?? user.name,
    name: user.name,
    email: undefined,
    avatarUrl: httpsOnly(user.picture),
    account: { cloudId: site.id, siteName: site.name, sites },
    scopes: undefined,
  };
}

const linearAnswer = z.object({
  data: z.object({
    viewer: z.object({ id: z.string(), name: z.string() }),
    organization: z.object({ id: z.string(), name: z.string(), urlKey: z.string() }),
    teams: z.object({ nodes: z.array(z.object({ id: z.string(), name: z.string(), key: z.string() })) }),
  }),
});
const linearQuery =
  '{ viewer { id name } organization { id name urlKey } teams(first: 250) { nodes { id name key } } }';

async function linearProfile(api: Api): Promise<ProviderProfile> {
  const answer = await ask(api, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: linearQuery }),
  });
  const { viewer, organization, teams } = read(api, linearAnswer, answer).data;
  return {
    accountId: viewer.id,
    login: viewer.name,
    name: viewer.name,
    email: undefined,
    avatarUrl: undefined,
    account: {
      workspaceId: organization.id,
      workspaceName: organization.name,
      workspaceKey: organization.urlKey,
      teams: teams.nodes,
    },
    scopes: undefined,
  };
}

const ask = ({ client, fetch, accessToken }: Api, path: string, { headers, ...request }: VendorRequest) =>
  askVendor(fetch, client.provider.vendor, client.apiUrl + path, {
    ...request,
    headers: { ...headers, authorization: `Bearer ${accessToken}` },
  });

function read<T extends z.ZodType>({ client }: Api, schema: T, { status, body }: VendorAnswer): z.output<T> {
  const { vendor } = client.provider;
  if (status === 401 || status === 403)
    throw new AppError('unauthenticated', `${vendor} does not take the token that it gave. Start again.`);
  const { success, data } = safeParse(schema, body);
  if (status > 299 || !success)
    throw new AppError('unavailable', `${vendor} does not say whose account this is (status ${status})`);
  return data;
}

const httpsOnly = (url: string | null | undefined) =>
  url?.startsWith('https://') && url.length <= 500 ? url : undefined;

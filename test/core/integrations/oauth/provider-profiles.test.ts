import { describe, expect, it } from 'vitest';
import type { Vendor } from '../../../../src/contract/vendors.ts';
import { oauthProviders } from '../../../../src/core/integrations/oauth/oauth-providers.ts';
import { fetchProfile } from '../../../../src/core/integrations/oauth/provider-profiles.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { hasSharedFixtures, sharedFixture } from '../../../helpers/shared-fixture.ts';

type Answers = Record<string, { status?: number; body: unknown; scopes?: string }>;

/** The profile that comes of what a vendor answers at each path. */
function profileOf(name: Vendor, answers: Answers) {
  const client = {
    provider: oauthProviders[name],
    clientId: '',
    clientSecret: '',
    authorizeUrl: '',
    tokenUrl: '',
    apiUrl: 'https://api.example',
    scopes: [],
  };
  return fetchProfile({
    client,
    accessToken: 'a-token',
    fetch: async (url, { headers }) => {
      expect(headers).toMatchObject({
        authorization: 'Bearer a-token',
        'user-agent': expect.stringMatching(/^svc\//),
      });
      const { status = 200, body, scopes } = answers[new URL(url).pathname] ?? { status: 404, body: {} };
      return {
        status,
        headers: new Headers(scopes === undefined ? {} : { 'x-oauth-scopes': scopes }),
        text: JSON.stringify(body),
      };
    },
  });
}
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'a profile',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

const mona = {
  id: 1,
  login: 'octocat',
  name: 'Mona',
  email: 'public@example.org',
  avatar_url: 'https://a/b',
};
const github = (change: object, emails: Answers[string] = { body: [] }): Answers => ({
  '/user': { body: { ...mona, ...change }, scopes: 'repo, user:email' },
  '/user/emails': emails,
});

describe('the account at GitHub', () => {
  it.skipIf(!hasSharedFixtures)('reads the documented account of GitHub', async () => {
    const examples = sharedFixture<{ user: unknown[]; emails: unknown[] }>('oauth/api-examples.json');
    expect(
      await profileOf('github', github(examples?.user[0] as object, { body: examples?.emails })),
    ).toMatchObject({
      accountId: '1',
      login: 'octocat',
      name: 'monalisa octocat',
      email: 'octocat@github.com',
      account: { username: 'octocat', avatarUrl: 'https://github.com/images/error/octocat_happy.gif' },
      scopes: ['repo', 'user:email'],
    });
  });

  const entry = (email: unknown, verified: unknown, primary: unknown) => ({ email, verified, primary });
  it.each([
    ['verified and primary', [entry('A@Example.org', true, true)], 'a@example.org'],
    ['the primary of several', [entry('x@y.zz', true, false), entry('a@b.cc', true, true)], 'a@b.cc'],
    ['not verified', [entry('a@b.cc', false, true)], undefined],
    ['verified and not primary', [entry('a@b.cc', true, false)], undefined],
    ['no address', [entry('nobody', true, true)], undefined],
    ['none', [], undefined],
  ])('reads the email address of an account at GitHub that is %s', async (_, body, email) => {
    expect((await profileOf('github', github({}, { body }))).email).toBe(email);
  });

  it.each([
    ['people withhold their addresses', github({}, { status: 404, body: {} }), { email: undefined }],
    ['there is no name', github({ name: null }), { name: 'octocat' }],
    ['the name is blank', github({ name: ' ' }), { name: 'octocat' }],
    ['the picture is elsewhere', github({ avatar_url: 'javascript:1' }), { avatarUrl: undefined }],
  ])('accepts an account at GitHub when %s', async (_, answers, profile) => {
    expect(await profileOf('github', answers)).toMatchObject(profile);
  });

  it.each([
    ['no id', github({ id: undefined }), 'unavailable'],
    ['an id that is no number', github({ id: '1' }), 'unavailable'],
    ['a token that is over', { '/user': { status: 401, body: {} } }, 'unauthenticated'],
    ['addresses in another form', github({}, { body: {} }), 'unavailable'],
    ['no such page', {}, 'unavailable'],
  ])('rejects an account at GitHub with %s', async (_, answers, code) => {
    expect(await outcome(profileOf('github', answers))).toBe(code);
  });
});

describe('the account at Atlassian', () => {
  const mia = { account_id: '11:22', name: 'Mia Krystof', email: 'mia@example.com', nickname: 'mia' };
  const site = (id: string, name: string, scope = 'write:jira-work') => ({
    id,
    name,
    url: `https://${name}.atlassian.net`,
    scopes: [scope],
  });
  const atlassian = (resources: unknown): Answers => ({
    '/me': { body: mia },
    '/oauth/token/accessible-resources': { body: resources },
  });

  it('an account at Atlassian belongs to its first Jira site by name, and lists the others', async () => {
    const resources = [site('3', 'zoo'), site('2', 'wiki', 'read:confluence'), site('1', 'alpha')];
    expect(await profileOf('jira', atlassian(resources))).toMatchObject({
      accountId: '11:22',
      login: 'mia',
      email: undefined,
      account: { cloudId: '1', siteName: 'alpha', sites: [{ id: '1' }, { id: '3' }] },
    });
  });

  it.each([
    ['no site', [], 'forbidden'],
    ['a wiki alone', [site('2', 'wiki', 'read:confluence')], 'forbidden'],
    ['something else', { error: 'x' }, 'unavailable'],
  ])('rejects an account at Atlassian with %s', async (_, resources, code) => {
    expect(await outcome(profileOf('jira', atlassian(resources)))).toBe(code);
  });
});

describe('the account at Linear', () => {
  it.each([
    ['errors', { errors: [{ message: 'No' }] }, 'unavailable'],
    ['half of it', { data: { viewer: { id: '1', name: 'Mia' } } }, 'unavailable'],
  ])('rejects an account at Linear with %s', async (_, body, code) => {
    expect(await outcome(profileOf('linear', { '/graphql': { body } }))).toBe(code);
  });
});

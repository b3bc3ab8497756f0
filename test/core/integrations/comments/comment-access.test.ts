import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/core/errors.ts';
import type { CommentTarget } from '../../../../src/core/integrations/inbound/source-work.ts';
import { github, HOUR, jira, linear, MINUTE, openWorld, type WorldOptions } from './comment-world.ts';

/** The requests for the first comment of a task at the target. */
async function requestsFor(
  target: CommentTarget,
  options: WorldOptions = {},
  prepare: (world: Awaited<ReturnType<typeof openWorld>>) => void = () => undefined,
) {
  await using world = await openWorld(options);
  prepare(world);
  const urls: string[] = [];
  world.between.fetch = async (url, request) => {
    urls.push(url);
    return world.vendors.fetch(url, request);
  };
  await world.begin(await world.addTask('task_1', target));
  await world.advance(MINUTE);
  const { last_error: error } = await world.row();
  return { urls, asked: world.vendors.requests.map(({ authorization }) => authorization), error };
}
const basic = `Basic ${Buffer.from('mia@example.com:api-token').toString('base64')}`;

describe('a comment is written', () => {
  it.each([
    [github, 'https://vendors.example/github/api/repos/acme/web/issues/12/comments', 'token-of-codehost'],
    [
      jira,
      'https://vendors.example/atlassian/ex/jira/cloud-1/rest/api/3/issue/WEB-12/comment',
      'token-of-tracker_a',
    ],
    [linear, 'https://vendors.example/linear/graphql', 'token-of-tracker_b'],
  ])('as the account that the owner connected', async (target, url, token) => {
    const flags = {
      'integrations.codehost.token': 'ghp_settings',
      'integrations.tracker_a.token': 'api-token',
      'integrations.tracker_a.email': 'mia@example.com',
      'integrations.tracker_a.siteUrl': 'https://site.example',
      'integrations.tracker_b.token': 'lin_api_settings',
    };
    expect(await requestsFor(target, { flags })).toEqual({
      urls: [url],
      asked: [`Bearer ${token}`],
      error: null,
    });
  });

  it.each<[CommentTarget, object, string, string]>([
    [
      github,
      { 'integrations.codehost.token': 'ghp_settings' },
      'https://vendors.example/github/api/repos/acme/web/issues/12/comments',
      'Bearer ghp_settings',
    ],
    [
      { ...jira, site: 'https://evil.example' } as CommentTarget,
      {
        'integrations.tracker_a.token': 'api-token',
        'integrations.tracker_a.email': 'mia@example.com',
        'integrations.tracker_a.siteUrl': 'https://site.example/',
      },
      'https://site.example/rest/api/3/issue/WEB-12/comment',
      basic,
    ],
    [
      linear,
      { 'integrations.tracker_b.token': 'lin_api_settings' },
      'https://vendors.example/linear/graphql',
      'lin_api_settings',
    ],
    [
      linear,
      { 'integrations.tracker_b.token': 'lin_oauth_settings' },
      'https://vendors.example/linear/graphql',
      'Bearer lin_oauth_settings',
    ],
  ])(
    'with the token of the settings where the owner connected nothing',
    async (target, flags, url, asked) => {
      expect(await requestsFor(target, { flags, isUnconnected: true })).toEqual({
        urls: [url],
        asked: [asked],
        error: null,
      });
    },
  );

  it('with that token, too, where the connection has ended', async () => {
    const flags = { 'integrations.codehost.token': 'ghp_settings' };
    const { asked } = await requestsFor(github, { flags }, ({ connections }) => {
      connections.tokens['user_owner codehost'] = new AppError('wrong_state', 'Connect it again');
    });
    expect(asked).toEqual(['Bearer ghp_settings']);
  });
});

describe('a comment is not written', () => {
  it('with a token of Jira of which the account or the site is not known', async () => {
    for (const key of ['email', 'siteUrl'] as const) {
      const flags = {
        'integrations.tracker_a.token': 'api-token',
        'integrations.tracker_a.email': 'mia@example.com',
        'integrations.tracker_a.siteUrl': 'https://site.example',
        [`integrations.tracker_a.${key}`]: undefined,
      };
      expect(await requestsFor(jira, { flags, isUnconnected: true })).toEqual({
        urls: [],
        asked: [],
        error: 'No connected account or token can write the comment',
      });
    }
  });

  it('at a site that is not among those connected, where the same key is another issue', async () => {
    const site = 'https://other.atlassian.net';
    expect(await requestsFor({ ...jira, site } as CommentTarget)).toEqual({
      urls: [],
      asked: [],
      error: 'This Jira site is not connected',
    });
  });

  it('until a connection that has ended is there again', async () => {
    await using world = await openWorld();
    const key = 'user_owner codehost';
    world.connections.tokens[key] = new AppError('wrong_state', 'GitHub must be connected again');
    await world.begin(await world.addTask());
    await world.advance(MINUTE);
    expect(await world.row()).toMatchObject({ last_error: 'GitHub must be connected again', ended_at: null });
    world.connections.tokens[key] = 'again';
    await world.advance(HOUR);
    expect(await world.row()).toMatchObject({ written: 'started', last_error: null });
  });

  it.each<[string, object]>([
    ['GitHub', { ...github, repository: '../../user' }],
    ['GitHub', { ...github, repository: 'acme/..' }],
    ['GitHub', { ...github, repository: 'acme/web/issues/1/comments?x=' }],
    ['GitHub', { ...github, repository: 'acme/w%2e' }],
    ['GitHub', { ...github, number: 1.5 }],
    ['GitHub', { ...github, number: '1/../2' }],
    ['Jira', { ...jira, issueKey: '../../myself' }],
    ['Jira', { ...jira, issueKey: 'WEB-1/worklog?' }],
  ])('at a place of %s that a delivery made up: %j', async (vendor, target) => {
    const { urls, error } = await requestsFor(target as CommentTarget);
    expect(urls).toEqual([]);
    expect(error).toMatch(new RegExp(`^Not a ${vendor} (?:repository|issue)$`));
  });
});

describe('a repository that was renamed', () => {
  const moved = (location: string) => ({
    status: 307,
    headers: { location },
    body: { message: 'Moved Permanently', url: location },
  });

  it('is followed within the API', async () => {
    const to = 'https://vendors.example/github/api/repositories/1/issues/12/comments';
    const { urls, error } = await requestsFor(github, {}, ({ vendors }) => {
      vendors.interfere = ({ path }) => (path.includes('/repos/') ? moved(to) : undefined);
    });
    expect(urls[1]).toBe(to);
    expect(error).toBeNull();
  });

  it('is not followed anywhere else', async () => {
    const { urls, error } = await requestsFor(github, {}, ({ vendors }) => {
      vendors.interfere = () => moved('https://evil.example/issues/12/comments');
    });
    expect(urls).toHaveLength(1);
    expect(error).toBe('GitHub answered 307');
  });
});

it('no token and no text is in what is logged or stored of a failure', async () => {
  const tokens = /token-of|the report|ghp_|vendors\.example\//;
  for (const answer of [
    'down',
    'lost',
    { status: 422, body: 'token-of-codehost' },
    { status: 500, body: '' },
  ] as const) {
    await using world = await openWorld();
    world.vendors.interfere = () => answer;
    await world.begin(await world.addTask());
    await world.complete();
    await world.advance(48 * HOUR);
    expect(world.logged).toHaveLength(1);
    expect(JSON.stringify(world.logged)).not.toMatch(tokens);
    expect((await world.row()).last_error).not.toMatch(tokens);
  }
});

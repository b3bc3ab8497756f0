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

describe('the account of a comment', () => {
  it.each([
    [github, 'https://vendors.example/github/api/repos/acme/web/issues/12/comments', 'token-of-github'],
    [
      jira,
      'https://vendors.example/atlassian/ex/jira/cloud-1/rest/api/3/issue/WEB-12/comment',
      'token-of-jira',
    ],
    [linear, 'https://vendors.example/linear/graphql', 'token-of-linear'],
  ])('writes a comment as the account that the owner connected', async (target, url, token) => {
    const flags = {
      'integrations.github.token': 'ghp_settings',
      'integrations.jira.token': 'api-token',
      'integrations.jira.email': 'mia@example.com',
      'integrations.jira.siteUrl': 'https://site.example',
      'integrations.linear.token': 'lin_api_settings',
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
      { 'integrations.github.token': 'ghp_settings' },
      'https://vendors.example/github/api/repos/acme/web/issues/12/comments',
      'Bearer ghp_settings',
    ],
    [
      { ...jira, site: 'https://evil.example' } as CommentTarget,
      {
        'integrations.jira.token': 'api-token',
        'integrations.jira.email': 'mia@example.com',
        'integrations.jira.siteUrl': 'https://site.example/',
      },
      'https://site.example/rest/api/3/issue/WEB-12/comment',
      basic,
    ],
    [
      linear,
      { 'integrations.linear.token': 'lin_api_settings' },
      'https://vendors.example/linear/graphql',
      'lin_api_settings',
    ],
    [
      linear,
      { 'integrations.linear.token': 'lin_oauth_settings' },
      'https://vendors.example/linear/graphql',
      'Bearer lin_oauth_settings',
    ],
  ])(
    'writes a comment with the token of the settings when the owner has no connection',
    async (target, flags, url, asked) => {
      expect(await requestsFor(target, { flags, isUnconnected: true })).toEqual({
        urls: [url],
        asked: [asked],
        error: null,
      });
    },
  );

  it('writes a comment with the token of the settings when the connection has expired', async () => {
    const flags = { 'integrations.github.token': 'ghp_settings' };
    const { asked } = await requestsFor(github, { flags }, ({ connections }) => {
      connections.tokens['user_owner github'] = new AppError('wrong_state', 'Connect it again');
    });
    expect(asked).toEqual(['Bearer ghp_settings']);
  });
});

describe('the destination of a comment', () => {
  it('does not write a comment with a token of Jira without an account or a site', async () => {
    for (const key of ['email', 'siteUrl'] as const) {
      const flags = {
        'integrations.jira.token': 'api-token',
        'integrations.jira.email': 'mia@example.com',
        'integrations.jira.siteUrl': 'https://site.example',
        [`integrations.jira.${key}`]: undefined,
      };
      expect(await requestsFor(jira, { flags, isUnconnected: true })).toEqual({
        urls: [],
        asked: [],
        error: 'No connected account or token can write the comment',
      });
    }
  });

  it('does not write a comment at a site that is not connected, where the key is another issue', async () => {
    const site = 'https://other.atlassian.net';
    expect(await requestsFor({ ...jira, site } as CommentTarget)).toEqual({
      urls: [],
      asked: [],
      error: 'This Jira site is not connected',
    });
  });

  it('writes no comment until an expired connection is restored', async () => {
    await using world = await openWorld();
    const key = 'user_owner github';
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
  ])('sends no comment to a forged issue of %s: %j', async (vendor, target) => {
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

  it('follows a renamed repository within the API', async () => {
    const to = 'https://vendors.example/github/api/repositories/1/issues/12/comments';
    const { urls, error } = await requestsFor(github, {}, ({ vendors }) => {
      vendors.interfere = ({ path }) => (path.includes('/repos/') ? moved(to) : undefined);
    });
    expect(urls[1]).toBe(to);
    expect(error).toBeNull();
  });

  it('does not follow a renamed repository outside the API', async () => {
    const { urls, error } = await requestsFor(github, {}, ({ vendors }) => {
      vendors.interfere = () => moved('https://evil.example/issues/12/comments');
    });
    expect(urls).toHaveLength(1);
    expect(error).toBe('GitHub answered 307');
  });
});

it('logs and stores neither tokens nor texts of a failed comment', async () => {
  const tokens = /token-of|the report|ghp_|vendors\.example\//;
  for (const answer of [
    'down',
    'lost',
    { status: 422, body: 'token-of-github' },
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

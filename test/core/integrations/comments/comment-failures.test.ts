import { describe, expect, it } from 'vitest';
import { githubError } from '../../../helpers/comment-apis.ts';
import type { Interference } from '../../../helpers/comment-vendors.ts';
import { newTask } from '../../../helpers/storage.ts';
import { began, github, HOUR, MINUTE, openWorld } from './comment-world.ts';

describe('a comment that cannot be written', () => {
  it('retries a comment after 30 s, 5 min, 30 min, 2 h and 12 h, and then gives up with a log entry', async () => {
    await using world = await openWorld();
    world.vendors.interfere = () => ({ status: 502, body: '<html>' });
    await world.begin(await world.addTask());
    await world.complete();
    await world.advance(48 * HOUR);
    // Whether it arrived is looked up first, which fails as well.
    expect(world.vendors.requests.map(({ method }) => method)).toEqual(['POST', ...Array(5).fill('GET')]);
    expect(world.vendors.requests.map(({ atMs }) => (atMs - began) / 1000)).toEqual([
      0, 30, 330, 2130, 9330, 52_530,
    ]);
    expect(await world.row()).toMatchObject({
      written: null,
      last_error: 'GitHub answered 502',
      ended_at: expect.any(String),
    });
    expect(world.logged).toEqual([
      {
        level: 'warn',
        message: 'giving up on a source comment',
        fields: { taskId: 'task_1', provider: 'github', reason: 'GitHub answered 502' },
      },
    ]);
    expect((await world.store.find('task_1'))?.status).toBe('completed');
  });

  it('a comment that failed at the start gets all attempts again when the task finishes', async () => {
    await using world = await openWorld();
    world.vendors.interfere = () => 'down';
    await world.begin(await world.addTask());
    await world.advance(24 * HOUR);
    expect(world.vendors.requests).toHaveLength(6);
    expect(await world.row()).toMatchObject({ ended_at: null, next_attempt_at: null, attempts: 6 });
    await world.comments.sweep();
    await world.advance(24 * HOUR);
    expect(world.vendors.requests).toHaveLength(6);
    await world.complete();
    await world.advance(HOUR);
    world.vendors.interfere = () => undefined;
    await world.advance(24 * HOUR);
    expect(world.vendors.texts()).toEqual([expect.stringContaining('svc has finished this')]);
    expect(world.logged).toEqual([]);
  });

  it.each([
    [githubError(403, 'Unable to create comment because issue is locked.'), /403: the account may not write/],
    [githubError(404, 'Not Found'), /404: it does not exist, or/],
    [githubError(410, 'This issue was deleted'), /410/],
    [githubError(422, 'Validation Failed'), /answered 422/],
    [githubError(400, 'Problems parsing JSON'), /answered 400/],
  ])('a permanently refused comment is not retried: %j', async (answer, reason) => {
    await using world = await openWorld();
    world.vendors.interfere = () => answer;
    await world.begin(await world.addTask());
    await world.advance(24 * HOUR);
    expect(world.vendors.requests).toHaveLength(1);
    expect(await world.row()).toMatchObject({
      last_error: expect.stringMatching(reason),
      is_uncertain: 0,
      ended_at: expect.any(String),
    });
    await world.complete();
    await world.advance(24 * HOUR);
    expect(world.vendors.requests).toHaveLength(1);
    expect(world.logged).toHaveLength(1);
  });

  it.each<[string, Interference, number]>([
    ['Retry-After', githubError(429, 'Too many', { 'retry-after': '90' }), 90],
    [
      'the time of the reset',
      githubError(403, 'API rate limit exceeded', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(began / 1000 + 600),
      }),
      600,
    ],
    ['a minute', githubError(403, 'You have exceeded a secondary rate limit.'), 60],
  ])('a rate-limited comment waits for %s, with all others of its account', async (_, answer, seconds) => {
    await using world = await openWorld();
    world.connections.tokens['other github'] = 'token-of-other';
    world.vendors.interfere = ({ authorization, atMs }) =>
      authorization.endsWith('other') || atMs >= began + seconds * 1000 ? undefined : answer;
    await world.begin(await world.addTask('task_1'));
    await world.begin(await world.addTask('task_2'));
    await world.database.write(async (transaction) => {
      await world.store.insert(transaction, newTask('task_3', { status: 'queued' }), []);
      world.comments.add(transaction, { taskId: 'task_3', ownerId: 'other', target: github });
    });
    await world.begin('task_3');
    await world.advance(seconds * 1000 - 1);
    expect(world.vendors.requests.map(({ authorization }) => authorization)).toEqual([
      'Bearer token-of-github',
      'Bearer token-of-other',
    ]);
    await world.advance(MINUTE);
    expect(world.vendors.texts()).toHaveLength(3);
    expect(world.vendors.requests).toHaveLength(4);
    expect(await world.row('task_1')).toMatchObject({ written: 'started', attempts: 0 });
  });
});

describe('the right to write', () => {
  it('requests a token once more after a 401, and uses it if it is different', async () => {
    await using world = await openWorld();
    world.vendors.accepts = (authorization) => authorization === 'Bearer renewed';
    world.vendors.interfere = () => {
      world.connections.tokens['user_owner github'] = 'renewed';
      return undefined;
    };
    await world.begin(await world.addTask());
    await world.advance();
    expect(world.vendors.requests.map(({ authorization }) => authorization)).toEqual([
      'Bearer token-of-github',
      'Bearer renewed',
    ]);
    expect(await world.row()).toMatchObject({ written: 'started', attempts: 0 });
  });

  it('waits for a refused token as long as the schedule lasts', async () => {
    await using world = await openWorld();
    world.vendors.accepts = (authorization) => authorization === 'Bearer renewed';
    await world.begin(await world.addTask());
    await world.complete();
    await world.advance(HOUR);
    expect(world.vendors.requests).toHaveLength(4);
    expect(await world.row()).toMatchObject({ last_error: expect.stringContaining('401'), is_uncertain: 0 });
    world.connections.tokens['user_owner github'] = 'renewed';
    await world.advance(24 * HOUR);
    expect(world.vendors.texts()).toHaveLength(1);
    // After an answer there was nothing to look for.
    expect(world.vendors.requests.every(({ method }) => method === 'POST')).toBe(true);
  });

  it('a missing token finishes the comment, not the task', async () => {
    await using world = await openWorld({ isUnconnected: true });
    await world.addTask('task_1');
    await world.addTask('task_2');
    await world.begin('task_1');
    await world.advance(MINUTE);
    expect(await world.row('task_1')).toMatchObject({
      last_error: 'No connected account or token can write the comment',
      ended_at: expect.any(String),
    });
    world.connections.tokens['user_owner github'] = 'since';
    await world.begin('task_2');
    await world.advance(MINUTE);
    expect(world.vendors.requests.map(({ authorization }) => authorization)).toEqual(['Bearer since']);
    expect(world.logged).toEqual([]);
  });
});

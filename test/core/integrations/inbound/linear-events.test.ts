import { describe, expect, it } from 'vitest';
import { shownCommentMarker } from '../../../../src/core/integrations/inbound/comment-marker.ts';
import { readLinear } from '../../../../src/core/integrations/inbound/linear-events.ts';
import type { SourceRules } from '../../../../src/core/integrations/inbound/source-rules.ts';
import { rulesWith } from '../../../helpers/deliveries.ts';

const ann = { id: 'u-ann', name: 'Ann', type: 'user' };
const bot = { id: 'u-bot', name: 'Helper' };
const issue = (more: object = {}) => ({
  id: 'i-7',
  identifier: 'WEB-7',
  url: 'https://linear.app/acme/issue/WEB-7/it-breaks',
  title: 'It breaks',
  description: 'Look',
  priority: 0,
  team: { key: 'WEB' },
  labels: [{ id: 'l-ai', name: 'ai-task' }],
  labelIds: ['l-ai'],
  ...more,
});
const created = (more: object = {}) => ({ type: 'Issue', action: 'create', data: issue(more) });
const updated = (updatedFrom: unknown, more: object = {}) => ({
  type: 'Issue',
  action: 'update',
  data: issue(more),
  updatedFrom,
});
const comment = (body: unknown, more: object = {}) => ({
  type: 'Comment',
  action: 'create',
  url: 'https://linear.app/acme/issue/WEB-7#comment-c9',
  data: { id: 'c-9', body, issueId: 'i-7', issue: { id: 'i-7', title: 'It breaks' }, user: ann, ...more },
});
const notified = (action: string, notification: object) => ({
  type: 'AppUserNotification',
  action,
  appUserId: 'u-app',
  actor: undefined,
  notification: {
    type: action,
    actor: { id: 'u-ann', name: 'Ann' },
    issue: issue({ labels: [] }),
    ...notification,
  },
});

const read = (body: object, rules: Partial<SourceRules> = {}) =>
  readLinear({ headers: {}, payload: { actor: ann, ...body } }, () =>
    rulesWith({ botAccount: 'helper', ...rules }),
  ).verdict;
const workOf = (...parts: Parameters<typeof read>) => {
  const verdict = read(...parts);
  return 'work' in verdict ? verdict.work : expect.fail(verdict.ignored);
};
const reasonOf = (...parts: Parameters<typeof read>) => {
  const verdict = read(...parts);
  return 'ignored' in verdict ? verdict.ignored : expect.fail('It asks for work');
};

describe('an issue at Linear', () => {
  it('accepts a new issue at Linear with the label, assigned or delegated', () => {
    expect(workOf(created())).toEqual({
      sourceId: 'WEB-7',
      sourceUrl: 'https://linear.app/acme/issue/WEB-7/it-breaks',
      title: 'It breaks',
      description: 'Look',
      labels: ['ai-task'],
      priority: 3,
      repository: undefined,
      branch: undefined,
      contentKey: 'WEB-7',
      target: { provider: 'linear', issueId: 'i-7' },
    });
    expect(read(created({ labels: [{ name: 'AI-Task' }] }))).toHaveProperty('work');
    expect(read(created({ labels: [], delegate: bot }))).toHaveProperty('work');
    expect(read(created({ labels: [], assigneeId: 'u-bot' }), { botAccount: 'U-BOT' })).toHaveProperty(
      'work',
    );
    expect(reasonOf(created({ labels: [{ id: 'l', name: 'ai' }], assignee: ann }))).toBe(
      'The issue does not have the label ai-task and is not assigned to helper',
    );
  });

  it('accepts an issue at Linear with a new label', () => {
    expect(read(updated({ labelIds: [] }))).toHaveProperty('work');
    expect(read(updated({ labelIds: ['l-other'] }))).toHaveProperty('work');
    for (const from of [
      { labelIds: ['l-ai'] },
      { labelIds: null },
      { title: 'x' },
      {},
      null,
      undefined,
      'labelIds',
    ])
      expect(reasonOf(updated(from))).toBe('The change does not add the label ai-task or assign helper');
    expect(read(updated({ labelIds: [] }, { labels: [{ id: 'l-o', name: 'other' }] }))).toHaveProperty(
      'ignored',
    );
    expect(read(updated({ labelIds: ['l-ai'] }, { labels: [] }))).toHaveProperty('ignored');
  });

  it('accepts an issue at Linear that is newly assigned or delegated', () => {
    expect(read(updated({ assigneeId: null }, { assignee: bot }))).toHaveProperty('work');
    expect(read(updated({ assigneeId: 'u-ann' }, { assigneeId: 'HELPER' }))).toHaveProperty('work');
    expect(read(updated({ delegateId: null }, { delegate: bot }))).toHaveProperty('work');
    expect(read(updated({ delegateId: null }, { assignee: bot }))).toHaveProperty('ignored');
    expect(read(updated({ assigneeId: null }, { delegate: bot }))).toHaveProperty('ignored');
    expect(read(updated({ title: 'x' }, { assignee: bot, delegate: bot }))).toHaveProperty('ignored');
    expect(read(updated({ assigneeId: null }, { assignee: ann }))).toHaveProperty('ignored');
    expect(read(updated({ assigneeId: 'u-bot' }, {}), { botAccount: undefined })).toHaveProperty('ignored');
  });

  it.each(['remove', 'archive', undefined])('ignores an issue at Linear with the action %s', (action) =>
    expect(reasonOf({ ...created(), action })).toMatch('does not create tasks'),
  );

  it.each([
    [0, 3],
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 3],
    [-1, 3],
    [1.5, 3],
    ['1', 3],
    [undefined, 3],
  ])('an issue at Linear with the priority %j gets priority %s', (priority, expected) =>
    expect(workOf(created({ priority })).priority).toBe(expected),
  );

  it('the priority of a rule overrides that of an issue at Linear', () => {
    const priorities = new Map([['low', 1] as const]);
    expect(workOf(created({ priority: 4, priorityLabel: 'Low' }), { priorities }).priority).toBe(1);
  });

  it.each([
    [{ identifier: undefined }, undefined, 'WEB-7'],
    [{ identifier: undefined, url: undefined }, 'https://linear.app/acme/issue/OLD-44/slug', 'OLD-44'],
    [{ identifier: undefined, url: undefined }, 'https://linear.app/acme/issue/OLD-44', 'OLD-44'],
    [{ identifier: undefined, url: 'x', number: 5 }, 'https://linear.app/acme/project/a-1', 'WEB-5'],
    [{ identifier: null, url: null, number: 5 }, undefined, 'WEB-5'],
  ])('reads the identifier of an issue from older deliveries of Linear: %j, %j', (more, url, sourceId) =>
    expect(workOf({ ...created(more), url })).toMatchObject({ sourceId, contentKey: sourceId }),
  );

  it('ignores an issue at Linear without an identifier', () => {
    const bare = { identifier: '', url: '' };
    expect(reasonOf(created(bare))).toBe('The delivery names no issue');
    expect(reasonOf({ ...created(), data: null })).toBe('The delivery names no issue');
  });
});

describe('a comment at Linear', () => {
  it('a comment at Linear is separate work', () => {
    expect(workOf(comment('@Helper, fix this'), { repository: 'acme/app' })).toMatchObject({
      sourceId: 'WEB-7',
      contentKey: 'WEB-7/comment/c-9',
      sourceUrl: 'https://linear.app/acme/issue/WEB-7#comment-c9',
      prompt: 'fix this',
      description: 'Comment of Ann on “It breaks”:\n\n@Helper, fix this',
      repository: 'acme/app',
      target: { provider: 'linear', issueId: 'i-7' },
    });
    expect(workOf(comment('/ai go', { parentId: 'c-1' })).prompt).toBe('go');
    expect(workOf(comment('/ai go', { issue: undefined })).target).toEqual({
      provider: 'linear',
      issueId: 'i-7',
    });
  });

  it('ignores a comment at Linear that is not on an issue', () => {
    const onDocument = comment('/ai go', { issue: undefined, issueId: null, documentContentId: 'd' });
    expect(reasonOf(onDocument)).toBe('The comment is not on an issue');
  });

  it.each([['@helperx go'], ['a@helper.com'], ['> @helper go'], ['`@helper`'], ['/aim'], ['']])(
    'ignores a comment at Linear with %j',
    (body) => expect(reasonOf(comment(body))).toBe('The comment does not begin with /ai or mention helper'),
  );

  it('ignores a comment at Linear without text, after an edit, or written by svc', () => {
    expect(reasonOf(comment(null))).toBe('The comment has no text');
    expect(reasonOf({ ...comment('/ai go'), action: 'update' })).toBe('Comment.update does not create tasks');
    expect(reasonOf(comment(`@helper did it (${shownCommentMarker('task_1')})`))).toBe(
      'The comment was written by svc',
    );
  });

  it('ignores comments from outside the workspace when comments are limited to members', () => {
    const outside = comment('/ai go', { user: null });
    expect(reasonOf(outside, { commenters: 'members' })).toBe('The author of the comment is not a member');
    expect(read(comment('/ai go'), { commenters: 'members' })).toHaveProperty('work');
  });
});

describe('a bot at Linear', () => {
  it('ignores a bot at Linear unless a rule allows it', () => {
    const app = { id: 'o-1', name: 'Sentry', type: 'oauthClient' };
    const slack = { id: 's-1', service: 'slack', type: 'integration' };
    expect(reasonOf({ ...created(), actor: app })).toBe('Sentry is a bot, and no rule allows it');
    expect(read({ ...created(), actor: app }, { allowBots: ['sentry'] })).toHaveProperty('work');
    expect(reasonOf({ ...created(), actor: slack })).toBe('slack is a bot, and no rule allows it');
    expect(read({ ...created(), actor: slack }, { allowBots: ['slack'] })).toHaveProperty('work');
  });

  it('ignores issues and comments that a bot at Linear created, but accepts changes by people', () => {
    for (const botActor of ['{"id":"x"}', { id: 'x' }]) {
      expect(reasonOf(created({ botActor }))).toMatch('is a bot');
      expect(reasonOf(comment('/ai go', { botActor }))).toMatch('is a bot');
      expect(read(updated({ labelIds: [] }, { botActor }))).toHaveProperty('work');
    }
    expect(read(created({ botActor: null }))).toHaveProperty('work');
  });

  it('recognizes the account at Linear by its id or name, also in old deliveries', () => {
    const reason = 'Helper is the bot account itself';
    expect(reasonOf({ ...created(), actor: bot })).toBe(reason);
    expect(reasonOf({ ...created(), actor: bot }, { botAccount: 'u-bot' })).toBe(reason);
    expect(reasonOf({ ...comment('/ai go', { user: bot }), actor: undefined })).toBe(reason);
    expect(
      reasonOf(
        { ...comment('/ai go', { user: null, userId: 'u-bot' }), actor: undefined },
        { botAccount: 'u-bot' },
      ),
    ).toBe('u-bot is the bot account itself');
    expect(reasonOf({ ...created({ creatorId: 'u-bot' }), actor: undefined }, { botAccount: 'u-bot' })).toBe(
      'u-bot is the bot account itself',
    );
  });
});

describe('app notifications of Linear', () => {
  it('accepts an issue at Linear when the app is assigned or mentioned', () => {
    for (const action of ['issueAssignedToYou', 'issueMention'])
      expect(workOf(notified(action, {}), { botAccount: undefined })).toMatchObject({
        contentKey: 'WEB-7',
        description: 'Look',
      });
  });

  it('accepts a comment from an app notification, with its mention or without', () => {
    const said = (body: unknown) =>
      notified('issueCommentMention', { comment: { id: 'c-9', body, issueId: 'i-7' } });
    expect(workOf(said('Hey @helper fix this'))).toMatchObject({
      prompt: 'fix this',
      contentKey: 'WEB-7/comment/c-9',
      description: 'Look\n\nComment of Ann on “It breaks”:\n\nHey @helper fix this',
    });
    expect(workOf(said('Hey you, fix this'), { botAccount: undefined }).prompt).toBe('Hey you, fix this');
    expect(reasonOf(said(null))).toBe('The comment has no text');
    expect(reasonOf(said('svc:task_1'))).toBe('The comment was written by svc');
    expect(read(said('go'), { commenters: 'members' })).toHaveProperty('work');
  });

  it('ignores app notifications about its own actions or of other kinds', () => {
    expect(reasonOf(notified('issueAssignedToYou', { actor: { id: 'u-app', name: 'App' } }))).toBe(
      'The app made this change itself',
    );
    expect(reasonOf(notified('issueUnassignedFromYou', {}))).toBe(
      'AppUserNotification.issueUnassignedFromYou does not create tasks',
    );
    expect(reasonOf(notified('issueAssignedToYou', { issue: null }))).toMatch('names no issue');
  });
});

it('ignores a disabled team at Linear', () => {
  expect(reasonOf(created(), { isEnabled: false })).toBe('A rule disables WEB');
});

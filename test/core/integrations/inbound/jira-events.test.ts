import { describe, expect, it } from 'vitest';
import { shownCommentMarker } from '../../../../src/core/integrations/inbound/comment-marker.ts';
import { readJira } from '../../../../src/core/integrations/inbound/jira-events.ts';
import type { SourceRules } from '../../../../src/core/integrations/inbound/source-rules.ts';
import { rulesWith } from '../../../helpers/deliveries.ts';

const ann = { accountId: '5c:ann', displayName: 'Ann', accountType: 'atlassian' };
const bot = { accountId: '5c:bot', displayName: 'Bot' };
const issue = (fields: object = {}, more: object = {}) => ({
  key: 'TES-7',
  self: 'https://acme.atlassian.net/rest/api/2/issue/10040',
  fields: { summary: 'It breaks', project: { key: 'TES' }, labels: ['ai-task'], ...fields },
  ...more,
});
const updated = (item: object, fields: object = {}) => ({
  webhookEvent: 'jira:issue_updated',
  issue_event_type_name: 'issue_updated',
  issue: issue(fields),
  changelog: { items: [item] },
});
const labels = (before: unknown, after: unknown) =>
  updated({ field: 'labels', fieldtype: 'jira', fromString: before, toString: after });
const comment = (body: unknown, more: object = {}) => ({
  webhookEvent: 'comment_created',
  issue: issue(),
  comment: { id: '99', body, author: ann, ...more },
});

const read = (body: object, rules: Partial<SourceRules> = {}) =>
  readJira({ headers: {}, payload: { user: ann, ...body } }, () =>
    rulesWith({ botAccount: '5c:bot', ...rules }),
  ).verdict;
const workOf = (...parts: Parameters<typeof read>) => {
  const verdict = read(...parts);
  return 'work' in verdict ? verdict.work : expect.fail(verdict.ignored);
};
const reasonOf = (...parts: Parameters<typeof read>) => {
  const verdict = read(...parts);
  return 'ignored' in verdict ? verdict.ignored : expect.fail('It asks for work');
};
const created = (fields: object = {}, more: object = {}) => ({
  webhookEvent: 'jira:issue_created',
  issue: issue(fields, more),
});

describe('a new issue at Jira', () => {
  it('accepts a new issue at Jira with the label, or assigned', () => {
    expect(workOf(created({ labels: ['x', 'AI-Task'] }))).toMatchObject({
      sourceId: 'TES-7',
      contentKey: 'TES-7',
    });
    expect(workOf(created({ labels: [], assignee: bot })).labels).toEqual([]);
    expect(workOf(created({ labels: null, assignee: { name: '5C:BOT' } })).labels).toEqual([]);
    expect(reasonOf(created({ labels: ['ai-task-2'], assignee: ann }))).toBe(
      'The issue does not have the label ai-task and is not assigned to 5c:bot',
    );
    expect(reasonOf(created({ labels: [], assignee: { displayName: '5c:bot' } }))).toMatch('does not have');
    expect(reasonOf(created({ labels: [] }), { botAccount: undefined })).toBe(
      'The issue does not have the label ai-task',
    );
  });

  it.each([
    ['https://acme.atlassian.net/rest/api/2/issue/10040', 'https://acme.atlassian.net'],
    ['https://acme.atlassian.net/rest/api/3/10040', 'https://acme.atlassian.net'],
    ['http://jira.example.com:8080/rest/api/2/issue/1', 'http://jira.example.com:8080'],
  ])('reads the site of an issue at Jira from %s', (self, site) =>
    expect(workOf(created({}, { self }))).toMatchObject({
      sourceUrl: `${site}/browse/TES-7`,
      target: { provider: 'jira', site, issueKey: 'TES-7' },
    }),
  );

  it.each([[undefined], [null], ['here'], ['javascript:alert(1)']])(
    'an issue at Jira has no site with %j',
    (self) =>
      expect(workOf(created({}, { self }))).toMatchObject({ sourceUrl: undefined, target: undefined }),
  );

  it.each([
    ['h1. As *is*\r\n', 'h1. As *is*\n'],
    [null, ''],
    [undefined, ''],
    [5, ''],
    [{ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'ADF' }] }] }, 'ADF'],
  ])('reads the description of an issue at Jira from %j', (description, text) =>
    expect(workOf(created({ description })).description).toBe(text),
  );

  it.each([
    [{ name: 'Highest', id: '1' }, 1],
    [{ name: 'Blocker', id: '4' }, 1],
    [{ name: 'Low', id: '1' }, 4],
    [{ name: 'Lowest', id: '5' }, 4],
    [{ name: 'Odd', id: '2' }, 2],
    [{ name: 'Odd', id: '5' }, 4],
    [{ name: 'Odd', id: '10001' }, 4],
    [{ name: 'Odd', id: 3 }, 3],
    [{ name: 'Odd', id: '0' }, 3],
    [{ name: 'Odd', id: 'x' }, 3],
    [{}, 3],
    [null, 3],
  ])('an issue at Jira with the priority %j gets priority %s', (priority, expected) =>
    expect(workOf(created({ priority })).priority).toBe(expected),
  );

  it('the priority of a rule overrides that of an issue at Jira', () => {
    const priorities = new Map([['odd', 1] as const, ['customer', 2] as const]);
    expect(workOf(created({ priority: { name: 'Odd', id: '4' } }), { priorities }).priority).toBe(1);
    expect(
      workOf(created({ priority: { name: 'Low' }, labels: ['ai-task', 'customer'] }), { priorities })
        .priority,
    ).toBe(2);
  });

  it('an issue at Jira without a summary is named by its key, with the repository of its rule', () => {
    const bare = {
      webhookEvent: 'jira:issue_created',
      issue: { key: 'A-B-7', fields: { labels: ['ai-task'] } },
    };
    const places: unknown[] = [];
    const { verdict } = readJira({ headers: {}, payload: bare }, (place) => {
      places.push(place);
      return rulesWith({ repository: 'acme/app', branch: 'next' });
    });
    expect(verdict).toMatchObject({ work: { title: 'A-B-7', repository: 'acme/app', branch: 'next' } });
    expect(places).toEqual(['A-B']);
  });
});

describe('a changed issue at Jira', () => {
  it.each([
    ['a b', 'a b ai-task'],
    ['', 'AI-TASK'],
    [null, 'ai-task'],
    [undefined, 'x  ai-task'],
    ['"quoted', '"quoted ai-task'],
    ['ai-task-2', 'ai-task-2 ai-task'],
  ])('accepts an issue at Jira whose labels %j become %j', (before, after) =>
    expect(read(labels(before, after))).toHaveProperty('work'),
  );

  it.each([
    ['ai-task', 'ai-task new'],
    ['AI-task a', 'ai-task'],
    ['ai-task', ''],
    ['a', '"ai-task'],
    ['a', 'a "ai task"'],
    ['a', 'ai-task-2'],
    ['a', null],
    ['a', 5],
  ])('ignores an issue at Jira whose labels %j become %j', (before, after) =>
    expect(reasonOf(labels(before, after))).toBe(
      'The change does not add the label ai-task or assign 5c:bot',
    ),
  );

  it('ignores a change at Jira when the label was already set', () => {
    expect(reasonOf(updated({ field: 'summary', toString: 'ai-task' }))).toMatch('does not add');
    // Without a key of its own an object still has a method of that name.
    expect(reasonOf(updated({ field: 'labels' }))).toMatch('does not add');
    expect(reasonOf(updated({ field: 'labels', fieldtype: 'custom', toString: 'ai-task' }))).toMatch(
      'does not add',
    );
    expect(reasonOf({ ...labels('', ''), changelog: undefined })).toMatch('does not add');
    expect(reasonOf({ ...labels('', ''), changelog: { items: [null, 5, 'labels'] } })).toMatch(
      'does not add',
    );
  });

  it('accepts an issue at Jira that is assigned to the account', () => {
    const assigned = (to: unknown, assignee: unknown = bot) =>
      updated({ field: 'assignee', to, toString: 'Bot' }, { assignee });
    expect(read(assigned('5c:bot'))).toHaveProperty('work');
    expect(read(assigned('5C:BOT', null))).toHaveProperty('work');
    expect(read(assigned('key-of-bot', { name: '5c:bot' }))).toHaveProperty('work');
    expect(read(assigned('5c:ann', ann))).toHaveProperty('ignored');
    expect(read(assigned(null))).toHaveProperty('ignored');
    expect(read(updated({ field: 'summary' }, { assignee: bot }))).toHaveProperty('ignored');
    expect(read(assigned('5c:bot'), { botAccount: undefined })).toHaveProperty('ignored');
  });

  it('ignores a deleted issue at Jira', () => {
    expect(reasonOf({ ...created(), webhookEvent: 'jira:issue_deleted' })).toBe(
      'jira:issue_deleted does not create tasks',
    );
  });
});

describe('a comment at Jira', () => {
  it('a comment at Jira is separate work, even of a reduced issue', () => {
    const reduced = { key: 'TES-7', fields: { summary: 'It breaks' } };
    expect(workOf({ ...comment('/ai fix\r\nthis'), user: undefined, issue: reduced })).toMatchObject({
      sourceId: 'TES-7',
      contentKey: 'TES-7/comment/99',
      prompt: 'fix\nthis',
      labels: [],
      description: 'Comment of Ann on “It breaks”:\n\n/ai fix\nthis',
    });
    expect(workOf(comment('Please [~accountid:5c:bot], fix')).prompt).toBe('fix');
    expect(workOf(comment('[~5c:bot]'))).not.toHaveProperty('prompt');
  });

  it('a comment at Jira may be a document', () => {
    const document = (...content: unknown[]) => ({ type: 'doc', content: [{ type: 'paragraph', content }] });
    const mention = (id: string) => ({ type: 'mention', attrs: { id, text: '@Somebody' } });
    const words = { type: 'text', text: ' fix this' };
    expect(workOf(comment(document(mention('5c:bot'), words))).prompt).toBe('fix this');
    expect(reasonOf(comment(document(mention('5c:ann'), words)))).toMatch('does not begin with /ai');
    const quoted = { type: 'doc', content: [{ type: 'blockquote', content: [document(mention('5c:bot'))] }] };
    expect(reasonOf(comment(quoted))).toMatch('does not begin with /ai');
  });

  it.each([['{code}[~accountid:5c:bot]{code}'], ['[~accountid:5c:botty] x'], ['@5c:bot'], [null], [7]])(
    'ignores a comment at Jira with %j',
    (body) => expect(reasonOf(comment(body))).toBe('The comment does not begin with /ai or mention 5c:bot'),
  );

  it('reads a comment of Jira Server from a change of the issue', () => {
    const change = { ...comment('/ai go'), webhookEvent: 'jira:issue_updated' };
    expect(workOf({ ...change, issue_event_type_name: 'issue_commented' }).contentKey).toBe(
      'TES-7/comment/99',
    );
    expect(reasonOf({ ...change, issue_event_type_name: 'issue_comment_edited' })).toMatch('does not add');
    const dated = (created: string, updatedAt: string) => ({
      ...change,
      comment: { ...change.comment, created, updated: updatedAt },
    });
    expect(read(dated('2019-01-01', '2019-01-01'))).toHaveProperty('work');
    expect(read(dated('2019-01-01', '2019-01-02'))).toHaveProperty('ignored');
    expect(read(change)).toHaveProperty('ignored');
  });

  it('ignores a comment at Jira without its issue', () => {
    for (const none of [undefined, null, {}, { key: ' ' }])
      expect(reasonOf({ ...comment('/ai go'), issue: none })).toBe('The delivery contains no issue');
  });

  it('ignores the comments of svc at Jira', () => {
    expect(reasonOf(comment(`[~5c:bot] is done. ${shownCommentMarker('task_01')}`))).toBe(
      'The comment was written by svc',
    );
  });

  it('ignores comments of Jira customers when comments are limited to members', () => {
    const customer = comment('/ai go', { author: { ...ann, accountType: 'customer' } });
    expect(reasonOf(customer, { commenters: 'members' })).toBe('Ann is not a member');
    expect(read(customer)).toHaveProperty('work');
    expect(read(comment('/ai go'), { commenters: 'members' })).toHaveProperty('work');
  });

  it.each(['comment_updated', 'comment_deleted'])('ignores a comment at Jira with %s', (webhookEvent) =>
    expect(reasonOf({ ...comment('/ai go'), webhookEvent })).toBe(`${webhookEvent} does not create tasks`),
  );
});

it('ignores apps at Jira and the account itself unless a rule allows them', () => {
  const app = { accountId: '5c:app', displayName: 'Automation', accountType: 'app' };
  expect(reasonOf({ ...created(), user: app })).toBe('Automation is a bot, and no rule allows it');
  expect(read({ ...created(), user: app }, { allowBots: ['5c:app'] })).toHaveProperty('work');
  expect(reasonOf({ ...created(), user: bot })).toBe('Bot is the bot account itself');
  expect(reasonOf({ ...comment('/ai go', { author: bot }), user: undefined })).toBe(
    'Bot is the bot account itself',
  );
});

it('ignores a disabled project at Jira', () => {
  expect(reasonOf(created(), { isEnabled: false })).toBe('A rule disables TES');
});

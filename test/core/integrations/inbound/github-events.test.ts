import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/core/errors.ts';
import { commentMarker } from '../../../../src/core/integrations/inbound/comment-marker.ts';
import { readGithub } from '../../../../src/core/integrations/inbound/github-events.ts';
import type { SourceRules } from '../../../../src/core/integrations/inbound/source-rules.ts';
import { rulesWith } from '../../../helpers/deliveries.ts';

const repository = { full_name: 'acme/app', default_branch: 'main' };
const ann = { login: 'ann', type: 'User' };
const issue = (more: object = {}) => ({
  number: 7,
  title: 'It breaks',
  body: 'Look:\r\nbroken',
  html_url: 'https://github.com/acme/app/issues/7',
  state: 'open',
  labels: [{ name: 'ai-task' }],
  assignees: [],
  ...more,
});
const pull = (more: object = {}) =>
  issue({ html_url: 'https://github.com/acme/app/pull/7', head: { ref: 'fix', repo: repository }, ...more });
const comment = (body: unknown, more: object = {}) => ({
  id: 99,
  body,
  html_url: 'https://github.com/acme/app/issues/7#issuecomment-99',
  user: ann,
  author_association: 'NONE',
  ...more,
});

const read = (event: string, body: object, rules: Partial<SourceRules> = {}) =>
  readGithub({ headers: { 'x-github-event': event }, payload: { sender: ann, repository, ...body } }, () =>
    rulesWith({ botAccount: 'agent', ...rules }),
  ).verdict;
const workOf = (...parts: Parameters<typeof read>) => {
  const verdict = read(...parts);
  return 'work' in verdict ? verdict.work : expect.fail(verdict.ignored);
};
const reasonOf = (...parts: Parameters<typeof read>) => {
  const verdict = read(...parts);
  return 'ignored' in verdict ? verdict.ignored : expect.fail('It asks for work');
};

describe('an issue at GitHub', () => {
  it.each([
    ['opened', {}, {}],
    ['opened', { labels: [], assignees: [{ login: 'bob' }, { login: 'Agent' }] }, {}],
    ['reopened', { labels: [{ name: 'bug' }, { name: 'AI-Task' }] }, {}],
    ['labeled', { labels: [] }, { label: { name: 'Ai-task' } }],
    ['assigned', { labels: [] }, { assignee: { login: 'AGENT' } }],
    ['opened', { state: undefined }, {}],
  ])('accepts an issue at GitHub that is %s: %j %j', (action, more, body) => {
    const items = { issues: { issue: issue(more) }, pull_request: { pull_request: pull(more) } };
    for (const [event, item] of Object.entries(items))
      expect(workOf(event, { action, ...item, ...body }).contentKey).toBe('acme/app#7');
  });

  it.each([
    [
      'opened',
      { labels: [{ name: 'ai' }] },
      {},
      'The issue does not have the label ai-task and is not assigned to agent',
    ],
    [
      'opened',
      { labels: null, assignees: 'agent' },
      {},
      'The issue does not have the label ai-task and is not assigned to agent',
    ],
    ['opened', { state: 'closed' }, {}, 'The issue is closed'],
    ['labeled', { state: 'closed' }, { label: { name: 'ai-task' } }, 'The issue is closed'],
    ['labeled', {}, { label: { name: 'bug' } }, 'The label bug is not ai-task'],
    ['labeled', {}, {}, 'The label that was added is not ai-task'],
    [
      'reopened',
      { labels: [], assignees: [{ login: 'agent' }] },
      {},
      'The issue does not have the label ai-task',
    ],
    [
      'assigned',
      { assignees: [{ login: 'agent' }] },
      { assignee: { login: 'agent-x' } },
      'The assignee agent-x is not agent',
    ],
    ['unlabeled', {}, { label: { name: 'ai-task' } }, 'issues.unlabeled does not create tasks'],
    ['edited', {}, {}, 'issues.edited does not create tasks'],
    ['constructor', {}, {}, 'issues.constructor does not create tasks'],
  ])('ignores an issue at GitHub that is %s: %j %j', (action, more, body, reason) =>
    expect(reasonOf('issues', { action, issue: issue(more), ...body })).toBe(reason),
  );

  it('ignores assignees at GitHub when no account is configured', () => {
    const body = { action: 'assigned', issue: issue(), assignee: { login: 'undefined' } };
    expect(reasonOf('issues', body, { botAccount: undefined })).toBe(
      'No bot account is set that could be the assignee',
    );
  });

  it('reads an issue at GitHub unchanged, without invalid characters', () => {
    const odd = issue({
      title: 'a\0b\ud800',
      body: 'x\r\ny\u2028z\r',
      labels: [{ name: 'ai-task' }, { name: '' }, {}, 'bug', null],
    });
    expect(workOf('issues', { action: 'opened', issue: odd })).toEqual({
      sourceId: 'acme/app#7',
      sourceUrl: 'https://github.com/acme/app/issues/7',
      title: 'ab\ufffd',
      description: 'x\ny\u2028z\r',
      labels: ['ai-task'],
      priority: 3,
      repository: 'acme/app',
      branch: 'main',
      contentKey: 'acme/app#7',
      target: { provider: 'github', repository: 'acme/app', number: 7 },
    });
    const bare = { number: 7, title: ' ', body: null, labels: [{ name: 'ai-task' }] };
    expect(workOf('issues', { action: 'opened', issue: bare })).toMatchObject({
      title: 'acme/app#7',
      description: '',
      sourceUrl: undefined,
    });
  });

  it('an issue at GitHub gets the repository and branch of its rule', () => {
    const body = { action: 'opened', issue: issue() };
    expect(workOf('issues', body, { branch: 'next' })).toMatchObject({
      repository: 'acme/app',
      branch: 'next',
    });
    expect(workOf('issues', body, { repository: 'acme/code' })).toMatchObject({
      repository: 'acme/code',
      branch: undefined,
      target: { repository: 'acme/app' },
    });
  });

  it('an issue at GitHub gets the priority of its labels, by the rules first', () => {
    const body = { action: 'opened', issue: issue({ labels: [{ name: 'ai-task' }, { name: 'P0' }] }) };
    expect(workOf('issues', body).priority).toBe(1);
    expect(workOf('issues', body, { priorities: new Map([['p0', 4]]) }).priority).toBe(4);
  });
});

describe('a pull request at GitHub', () => {
  it('accepts a pull request that requests a review from the account', () => {
    const body = { action: 'review_requested', pull_request: pull({ labels: [] }) };
    expect(workOf('pull_request', { ...body, requested_reviewer: { login: 'agent' } })).toMatchObject({
      prompt: 'Review the pull request “It breaks”.',
      description: 'Look:\nbroken',
      branch: 'fix',
    });
    expect(reasonOf('pull_request', { ...body, requested_reviewer: { login: 'bob' } })).toBe(
      'The reviewer bob is not agent',
    );
    expect(reasonOf('pull_request', { ...body, requested_team: { name: 'agent' } })).toBe(
      'The reviewer that was named is not agent',
    );
    expect(reasonOf('issues', { ...body, requested_reviewer: { login: 'agent' } })).toMatch(
      'does not create tasks',
    );
  });

  it.each([
    [{ ref: 'fix', repo: { full_name: 'Acme/App' } }, 'fix'],
    [{ ref: 'fix' }, 'fix'],
    [{ ref: 'main', repo: { full_name: 'eve/app' } }, undefined],
    [{ ref: 'main', repo: null }, undefined],
    [null, undefined],
  ])('a pull request from a fork has no branch here: %j', (head, branch) =>
    expect(workOf('pull_request', { action: 'opened', pull_request: pull({ head }) })).toMatchObject({
      repository: 'acme/app',
      branch,
    }),
  );
});

describe('a comment at GitHub', () => {
  const commented = (body: unknown, more: object = {}) => ({
    action: 'created',
    issue: issue({ labels: [], state: 'closed' }),
    comment: comment(body, more),
  });

  it('a comment at GitHub is separate work with the issue as its context', () => {
    expect(workOf('issue_comment', commented('Hm.\r\n\r\n@agent fix\r\nthis'))).toMatchObject({
      sourceId: 'acme/app#7',
      contentKey: 'acme/app#7/comment/99',
      sourceUrl: 'https://github.com/acme/app/issues/7#issuecomment-99',
      prompt: 'fix\nthis',
      description: 'Look:\nbroken\n\nComment of ann on “It breaks”:\n\nHm.\n\n@agent fix\nthis',
      branch: 'main',
    });
    expect(workOf('issue_comment', commented('/ai go'), { botAccount: undefined }).prompt).toBe('go');
    expect(workOf('issue_comment', commented('@agent'))).not.toHaveProperty('prompt');
  });

  it('a comment on a pull request has no branch', () => {
    const body = { ...commented('/ai go'), issue: issue({ pull_request: { url: 'x' } }) };
    expect(workOf('issue_comment', body).branch).toBeUndefined();
  });

  it('a comment on code includes its location', () => {
    const body = {
      action: 'created',
      pull_request: pull(),
      comment: comment('/ai go', { path: 'a.ts', line: 4 }),
    };
    const work = workOf('pull_request_review_comment', body);
    expect(work.description).toContain('Comment of ann on “It breaks”, at a.ts:4:\n\n/ai go');
    expect(work).toMatchObject({ branch: 'fix', contentKey: 'acme/app#7/comment/99' });
  });

  it('accepts the text of a review as a comment', () => {
    const body = { action: 'submitted', pull_request: pull() };
    expect(workOf('pull_request_review', { ...body, review: comment('@agent go') }).prompt).toBe('go');
    expect(reasonOf('pull_request_review', { ...body, review: comment(null) })).toBe(
      'The comment has no text',
    );
  });

  it.each([
    ['@agent-x fix this'],
    ['foo@agent.com'],
    ['> @agent fix\n\nno'],
    ['```\n@agent\n```'],
    ['/airplane'],
    [''],
  ])('ignores text at GitHub that only resembles a mention: %j', (body) =>
    expect(reasonOf('issue_comment', commented(body))).toBe(
      'The comment does not begin with /ai or mention agent',
    ),
  );

  it('ignores the comments of svc at GitHub from any sender', () => {
    const own = commented(`@agent is done\n\n${commentMarker('task_01')}`);
    expect(reasonOf('issue_comment', own, { allowBots: ['ann'] })).toBe('The comment was written by svc');
  });

  it.each(['edited', 'deleted'])('ignores a comment at GitHub that is %s', (action) =>
    expect(reasonOf('issue_comment', { ...commented('/ai go'), action })).toMatch('does not create tasks'),
  );

  it.each([
    ['OWNER', true],
    ['MEMBER', true],
    ['COLLABORATOR', true],
    ['CONTRIBUTOR', false],
    ['NONE', false],
    [undefined, false],
  ])('with comments limited to members, a comment of a %s is accepted: %s', (author_association, counts) => {
    const verdict = read('issue_comment', commented('/ai go', { author_association }), {
      commenters: 'members',
    });
    expect(verdict).toMatchObject(counts ? { work: {} } : { ignored: 'ann is not a member' });
  });
});

describe('a bot at GitHub', () => {
  const labeled = { action: 'labeled', issue: issue(), label: { name: 'ai-task' } };
  const renovate = { login: 'renovate[bot]', type: 'Bot' };

  it('ignores a bot at GitHub unless a rule allows it', () => {
    expect(reasonOf('issues', { ...labeled, sender: renovate })).toBe(
      'renovate[bot] is a bot, and no rule allows it',
    );
    expect(read('issues', { ...labeled, sender: renovate }, { allowBots: ['renovate[bot]'] })).toHaveProperty(
      'work',
    );
    expect(read('issues', { ...labeled, sender: renovate }, { allowBots: ['renovate'] })).toHaveProperty(
      'work',
    );
    expect(read('issues', { ...labeled, sender: renovate }, { allowBots: ['other'] })).toHaveProperty(
      'ignored',
    );
  });

  it('recognizes the account as a bot, with or without its suffix', () => {
    const reason = /is the bot account itself$/;
    expect(reasonOf('issues', { ...labeled, sender: { login: 'Agent', type: 'User' } })).toMatch(reason);
    const app = { login: 'agent[bot]', type: 'Bot' };
    expect(reasonOf('issues', { ...labeled, sender: app })).toMatch(reason);
    expect(reasonOf('issues', { ...labeled, sender: app }, { botAccount: 'agent[bot]' })).toMatch(reason);
  });

  it('people may assign work to a bot', () => {
    const body = {
      action: 'assigned',
      issue: issue({ labels: [] }),
      assignee: { login: 'agent[bot]', type: 'Bot' },
    };
    expect(read('issues', body)).toHaveProperty('work');
  });
});

describe('a delivery of GitHub', () => {
  it('ignores a ping of GitHub, whatever else it contains', () => {
    expect(reasonOf('ping', { action: 'opened', issue: issue() })).toBe(
      'GitHub confirms that the webhook is set up',
    );
  });

  it('ignores a delivery of a disabled repository', () => {
    expect(reasonOf('issues', { action: 'opened', issue: issue() }, { isEnabled: false })).toBe(
      'A rule disables acme/app',
    );
  });

  it.each([
    [{ issue: undefined }, 'The delivery names no issue'],
    [{ issue: { number: '7' } }, 'The delivery names no issue'],
    [{ repository: { full_name: '' } }, 'The delivery names no repository'],
  ])('ignores a delivery of GitHub that lacks required fields: %j', (body, reason) =>
    expect(reasonOf('issues', { action: 'opened', issue: issue(), ...body })).toBe(reason),
  );

  it('requires a delivery of GitHub to be an object with its event in a header', () => {
    const rules = () => rulesWith();
    for (const payload of [null, [], 'issue', 5, undefined])
      expect(() => readGithub({ headers: { 'x-github-event': 'issues' }, payload }, rules)).toThrow(
        new AppError('validation', 'This is no delivery of GitHub'),
      );
    expect(readGithub({ headers: {}, payload: {} }, rules).verdict).toEqual({
      ignored: 'unnamed event does not create tasks',
    });
    expect(readGithub({ headers: { 'x-github-event': ['push'] }, payload: {} }, rules).event).toBe('push');
  });
});

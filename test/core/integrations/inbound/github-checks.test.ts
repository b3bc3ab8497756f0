import { describe, expect, it } from 'vitest';
import { readGithub } from '../../../../src/core/integrations/inbound/github-events.ts';
import type { SourceRules } from '../../../../src/core/integrations/inbound/source-rules.ts';
import { rulesWith } from '../../../helpers/deliveries.ts';

const repository = { full_name: 'acme/app', default_branch: 'main' };
const sender = { login: 'ann', type: 'User' };
const read = (event: string, body: object, rules: Partial<SourceRules> = {}) =>
  readGithub({ headers: { 'x-github-event': event }, payload: { sender, repository, ...body } }, () =>
    rulesWith(rules),
  ).verdict;
const workOf = (...parts: Parameters<typeof read>) => {
  const verdict = read(...parts);
  return 'work' in verdict ? verdict.work : expect.fail(verdict.ignored);
};
const reasonOf = (...parts: Parameters<typeof read>) => {
  const verdict = read(...parts);
  return 'ignored' in verdict ? verdict.ignored : expect.fail('It asks for work');
};

describe('a check at GitHub', () => {
  const check = (more: object = {}) => ({
    action: 'completed',
    check_run: {
      name: 'build',
      head_sha: 'abc',
      conclusion: 'failure',
      html_url: 'https://github.com/acme/app/runs/1',
      check_suite: { head_branch: 'svc/one' },
      output: { title: 'Two failed', summary: null, text: 'a\nb' },
      pull_requests: [
        { number: 3, url: 'https://api.github.com/repos/eve/app/pulls/3' },
        { number: 4, url: 'https://api.github.com/repos/Acme/app/pulls/4' },
      ],
      ...more,
    },
  });

  it('a failed check at GitHub creates work when a rule enables it', () => {
    const work = {
      sourceId: 'acme/app@abc/build',
      sourceUrl: 'https://github.com/acme/app/runs/1',
      title: 'The check build failed on svc/one',
      description:
        'The check “build” failed at commit abc of the branch svc/one.\n\nTwo failed\n\na\nb\n\nhttps://github.com/acme/app/runs/1',
      labels: [],
      priority: 3,
      repository: 'acme/app',
      branch: 'svc/one',
      contentKey: 'acme/app@abc/build',
      target: { provider: 'github', repository: 'acme/app', number: 4 },
    };
    expect(workOf('check_run', check(), { checks: 'all' })).toEqual(work);
    expect(workOf('check_run', check(), { checks: 'task-branches' })).toEqual({
      ...work,
      needsTaskBranch: true,
    });
    expect(reasonOf('check_run', check())).toBe('Failed checks are disabled');
    expect(
      workOf('check_run', check({ conclusion: 'timed_out', pull_requests: null }), { checks: 'all' }),
    ).toMatchObject({
      title: 'The check build timed out on svc/one',
      target: undefined,
    });
  });

  it.each([
    [{ conclusion: 'success' }, 'The check build did not fail: its conclusion is success'],
    [{ conclusion: null }, 'The check build did not fail: its conclusion is open'],
    [{ conclusion: 'cancelled' }, 'The check build did not fail: its conclusion is cancelled'],
    [{ head_sha: null }, 'The delivery names no check'],
    [{ check_suite: { head_branch: null } }, 'The check build ran on no branch of acme/app'],
  ])('ignores another check at GitHub: %j', (more, reason) =>
    expect(reasonOf('check_run', check(more), { checks: 'task-branches' })).toBe(reason),
  );

  it('accepts a failed workflow on a branch of this repository', () => {
    const run = (more: object = {}) => ({
      action: 'completed',
      workflow_run: {
        name: '',
        display_title: 'Tests',
        head_sha: 'abc',
        conclusion: 'failure',
        head_branch: 'svc/one',
        head_repository: repository,
        ...more,
      },
    });
    expect(workOf('workflow_run', run(), { checks: 'task-branches' })).toMatchObject({
      contentKey: 'acme/app@abc/Tests',
      branch: 'svc/one',
    });
    expect(
      reasonOf('workflow_run', run({ head_repository: { full_name: 'eve/app' } }), {
        checks: 'task-branches',
      }),
    ).toBe('The check Tests ran on no branch of acme/app');
    expect(reasonOf('workflow_run', { ...run(), action: 'requested' }, { checks: 'all' })).toMatch(
      'does not create tasks',
    );
  });

  it('ignores a check at GitHub that a bot caused unless a rule allows it', () => {
    const body = { ...check(), sender: { login: 'svc[bot]', type: 'Bot' } };
    expect(reasonOf('check_run', body, { checks: 'all' })).toBe('svc[bot] is a bot, and no rule allows it');
    expect(read('check_run', body, { checks: 'all', botAccount: 'svc', allowBots: ['svc'] })).toHaveProperty(
      'work',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { githubDeliverySchema } from '../../../../src/core/integrations/inbound/github-delivery.ts';
import { readGithub } from '../../../../src/core/integrations/inbound/github-events.ts';
import { commentOf, itemOf, workOfItem } from '../../../../src/core/integrations/inbound/github-work.ts';
import type { SourceRules } from '../../../../src/core/integrations/inbound/source-rules.ts';
import { recordedDeliveries, rulesWith } from '../../../helpers/deliveries.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';

interface Facts {
  event: string;
  action?: string;
  repository?: string;
  defaultBranch?: string;
  sender?: { login: string; type: string };
  item?: {
    kind: string;
    number: number;
    title: string;
    body: string | null;
    htmlUrl: string;
    state?: string;
    labels: string[];
    assignees: string[];
    headRef?: string;
  };
  label?: string;
  assignee?: string;
  comment?: { id: number; body: string; htmlUrl: string; author: string; authorAssociation: string };
  check?: { name: string; conclusion: string | null; headSha: string };
  workflow?: { name: string; conclusion: string | null; branch: string };
}

const deliveries = recordedDeliveries<Facts>('github');
const unix = (text: string | null | undefined) => (text ?? '').replaceAll('\r\n', '\n');

describe.skipIf(!hasSharedFixtures)('the recorded deliveries of GitHub', () => {
  it('reads all recorded deliveries of GitHub', () => {
    const events = deliveries.map(
      ({ headers, payload }) => readGithub({ headers, payload }, () => rulesWith()).event,
    );
    expect(events).toHaveLength(122);
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(122);
  });

  it.each(deliveries)('parses the recorded delivery $id', ({ headers, payload, facts }) => {
    const read = readGithub({ headers, payload }, () => rulesWith());
    const { item, repository } = facts;
    const check = checkOf(facts, payload);
    expect(read).toMatchObject({
      event: facts.event,
      action: facts.action,
      sender: facts.sender?.login,
      sourceId: item ? `${repository}#${item.number}` : check && `${repository}@${check.sha}/${check.name}`,
    });

    const delivery = githubDeliverySchema.parse(payload);
    expect(itemOf(delivery)?.state).toBe(item?.state);
    expect(workOfItem(delivery, rulesWith())).toEqual(
      item && {
        sourceId: `${repository}#${item.number}`,
        sourceUrl: item.htmlUrl,
        title: item.title,
        description: unix(item.body),
        labels: item.labels,
        priority: 3,
        repository,
        branch: item.headRef ?? (item.kind === 'issue' ? facts.defaultBranch : undefined),
        contentKey: `${repository}#${item.number}`,
        target: { provider: 'github', repository, number: item.number },
      },
    );
    const { comment } = facts;
    if (comment)
      expect(commentOf(delivery)).toEqual({
        id: String(comment.id),
        body: unix(comment.body),
        url: comment.htmlUrl,
        author: comment.author,
        isMember: ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(comment.authorAssociation),
      });
  });

  it.each([
    [{}, 0],
    [{ aiTaskLabel: 'bug' }, 7],
    [{ aiTaskLabel: 'BUG', isEnabled: false }, 0],
    [{ aiTaskLabel: 'Ai' }, 2],
    [{ botAccount: 'agent' }, 1],
    [{ botAccount: 'agent', commenters: 'members' as const }, 1],
    [{ botAccount: 'AGENT', aiTaskLabel: 'bug' }, 8],
    [{ botAccount: 'gent' }, 0],
    [{ botAccount: 'OctoCat' }, 1],
    [{ botAccount: 'Codertocat', aiTaskLabel: 'bug' }, 0],
    [{ botAccount: 'Codertocat', allowBots: ['codertocat'] }, 7],
    [{ checks: 'all' as const }, 1],
    [{ checks: 'task-branches' as const }, 1],
  ])(
    'finds the work in the recorded deliveries of GitHub with the rules %j',
    (rules: Partial<SourceRules>, count: number) => {
      const verdicts = deliveries.map(({ id, headers, payload, facts }) => {
        const { verdict } = readGithub({ headers, payload }, (place) => {
          expect(place).toBe(facts.repository);
          return rulesWith(rules);
        });
        if ('ignored' in verdict) expect(verdict.ignored).toMatch(/^\w.{10}/);
        return { id, asks: 'work' in verdict };
      });
      expect(verdicts).toEqual(
        deliveries.map(({ id, facts, payload }) => ({
          id,
          asks: expected(facts, payload, rulesWith(rules)),
        })),
      );
      expect(verdicts.filter(({ asks }) => asks)).toHaveLength(count);
    },
  );
});

const checkOf = ({ check, workflow }: Facts, payload: unknown) => {
  if (check) return { name: check.name, sha: check.headSha };
  if (!workflow) return undefined;
  const run = (payload as { workflow_run: { head_sha: string; display_title?: string } }).workflow_run;
  return { name: workflow.name || (run.display_title ?? 'without a name'), sha: run.head_sha };
};

/** The rules once more, from the facts alone. */
function expected(facts: Facts, payload: unknown, rules: SourceRules): boolean {
  const { event, action = '', item, sender } = facts;
  const label = rules.aiTaskLabel.toLowerCase();
  const bot = rules.botAccount?.toLowerCase();
  const isBot = (login: string | undefined) => login !== undefined && login.toLowerCase() === bot;
  const isAllowed = rules.allowBots.includes(sender?.login.toLowerCase() ?? '');
  if (!rules.isEnabled) return false;
  if (!isAllowed && (sender?.type === 'Bot' || isBot(sender?.login))) return false;

  if (event === 'check_run' || event === 'workflow_run')
    return (
      rules.checks !== 'off' &&
      action === 'completed' &&
      ['failure', 'timed_out'].includes((facts.check ?? facts.workflow)?.conclusion ?? '')
    );
  if (!item) return false;
  if (event === 'issues' || event === 'pull_request') {
    if (item.state === 'closed') return false;
    const hasLabel = item.labels.some((name) => name.toLowerCase() === label);
    switch (action) {
      case 'opened':
        return hasLabel || item.assignees.some(isBot);
      case 'reopened':
        return hasLabel;
      case 'labeled':
        return facts.label?.toLowerCase() === label;
      case 'assigned':
        return isBot(facts.assignee);
      case 'review_requested':
        return isBot((payload as { requested_reviewer?: { login: string } }).requested_reviewer?.login);
      default:
        return false;
    }
  }
  if ((event === 'issue_comment' || event === 'pull_request_review_comment') && action === 'created') {
    const body = facts.comment?.body ?? '';
    return (
      body.startsWith('/ai ') || (bot !== undefined && body.toLowerCase().split(/\s/).includes(`@${bot}`))
    );
  }
  return false;
}

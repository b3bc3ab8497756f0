import { describe, expect, it } from 'vitest';
import { jiraDeliverySchema } from '../../../../src/core/integrations/inbound/jira-delivery.ts';
import { readJira } from '../../../../src/core/integrations/inbound/jira-events.ts';
import { commentOf, workOfIssue } from '../../../../src/core/integrations/inbound/jira-work.ts';
import type { SourceRules } from '../../../../src/core/integrations/inbound/source-rules.ts';
import { recordedDeliveries, rulesWith } from '../../../helpers/deliveries.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';

interface Facts {
  event: string;
  eventType?: string;
  actor: string;
  key?: string;
  browseUrl: string;
  project: string;
  summary: string;
  description: string | null;
  priority: { id: string; name: string };
  labels?: string[];
  assignee: string | null;
  changed: { field: string; from: string | null; to: string | null }[];
  comment?: { id: string; body: string };
}

const all = recordedDeliveries<Facts>('jira');
const deliveries = all.filter(({ facts }) => 'event' in facts);
const byName: Record<string, number> = { High: 2, Medium: 3 };
/** Who did it and who it is assigned to: the facts have the name that is shown of the one, the id of the other. */
const idsByName: Record<string, string> = {
  'Test User': '5c5f880629be9642ba529340',
  'Lev Brouk': 'levbrouk',
  'Erik Blenert': '557058:b2e19a89-93eb-479c-a287-d6943fe6b823',
  'Sample User': '5cedcb4355a88a0fc86388ba',
};

describe.skipIf(!hasSharedFixtures)('the recorded deliveries of Jira', () => {
  it('finds all recorded deliveries of Jira, one without an event', () => {
    expect(all).toHaveLength(24);
    const odd = all.filter((delivery) => !deliveries.includes(delivery));
    expect(odd.map(({ id }) => id)).toEqual(['jira/anomalous-no-event']);
    for (const delivery of odd)
      expect(readJira(delivery, () => rulesWith()).verdict).toEqual({
        ignored: 'unnamed event does not create tasks',
      });
  });

  it.each(deliveries)('parses the recorded delivery $id', ({ headers, payload, facts }) => {
    const read = readJira({ headers, payload }, () => rulesWith());
    expect(read).toMatchObject({
      event: facts.event,
      action: facts.eventType,
      sender: facts.actor,
      sourceId: facts.key,
    });
    const { issue, comment, changelog } = jiraDeliverySchema.parse(payload);
    const origin = facts.key && new URL(facts.browseUrl).origin;
    expect(issue && workOfIssue(issue, rulesWith({ repository: 'acme/app', branch: 'next' }))).toEqual(
      facts.key && {
        sourceId: facts.key,
        sourceUrl: facts.browseUrl,
        title: facts.summary,
        description: (facts.description ?? '').replaceAll('\r\n', '\n'),
        labels: facts.labels ?? [],
        priority: byName[facts.priority.name],
        repository: 'acme/app',
        branch: 'next',
        contentKey: facts.key,
        target: { provider: 'jira', site: origin, issueKey: facts.key },
      },
    );
    expect(
      (changelog?.items ?? []).map(({ field, before, after }) => ({
        field,
        from: before ?? null,
        to: after ?? null,
      })),
    ).toEqual(facts.changed);
    expect(comment && commentOf(comment, rulesWith())).toEqual(
      facts.comment && {
        id: facts.comment.id,
        body: facts.comment.body,
        url: undefined,
        author: facts.actor,
        isMember: true,
      },
    );
  });

  it.each([
    [{}, 0],
    [{ aiTaskLabel: 'AI' }, 2],
    [{ aiTaskLabel: 'ai', isEnabled: false }, 0],
    [{ aiTaskLabel: 'sad' }, 1],
    [{ aiTaskLabel: 'test-label' }, 2],
    [{ aiTaskLabel: 'label2' }, 1],
    [{ aiTaskLabel: 'label' }, 0],
    [{ aiTaskLabel: 'tt' }, 0],
    [{ botAccount: '5c5f880629be9642ba529340', aiTaskLabel: 'ai' }, 0],
    [{ botAccount: '5c5f880629be9642ba529340', allowBots: ['5c5f880629be9642ba529340'] }, 2],
    [{ botAccount: '5cedcb4355a88a0fc86388ba', allowBots: ['5cedcb4355a88a0fc86388ba'] }, 1],
    [{ botAccount: 'user' }, 1],
    [{ botAccount: 'use' }, 0],
  ])(
    'finds the work in the recorded deliveries of Jira with the rules %j',
    (rules: Partial<SourceRules>, count: number) => {
      const verdicts = deliveries.map(({ id, headers, payload, facts }) => {
        const { verdict } = readJira({ headers, payload }, (place) => {
          expect(place).toBe(facts.project);
          return rulesWith(rules);
        });
        if ('ignored' in verdict) expect(verdict.ignored).toMatch(/^\w.{10}/);
        return { id, asks: 'work' in verdict };
      });
      expect(verdicts).toEqual(
        deliveries.map(({ id, facts }) => ({ id, asks: expected(facts, rulesWith(rules)) })),
      );
      expect(verdicts.filter(({ asks }) => asks)).toHaveLength(count);
    },
  );
});

/** The rules once more, from the facts alone. */
function expected(facts: Facts, rules: SourceRules): boolean {
  const { event, key, changed, comment } = facts;
  const bot = rules.botAccount;
  const sender = idsByName[facts.actor];
  const words = (list: string | null) => (list ?? '').toLowerCase().split(' ');
  const label = rules.aiTaskLabel.toLowerCase();
  if (key === undefined || !rules.isEnabled) return false;
  if (sender === bot && !rules.allowBots.includes(sender ?? '')) return false;
  const asksInComment =
    comment !== undefined &&
    (comment.body.startsWith('/ai ') ||
      (bot !== undefined && new RegExp(`\\[~(accountid:)?${bot}\\]`).test(comment.body)));
  if (event === 'comment_created') return asksInComment;
  if (event === 'jira:issue_created')
    return (facts.labels ?? []).some((name) => name.toLowerCase() === label) || facts.assignee === bot;
  if (event !== 'jira:issue_updated') return false;
  return (
    (facts.eventType === 'issue_commented' && asksInComment) ||
    changed.some(
      ({ field, from, to }) =>
        (field === 'labels' && words(to).includes(label) && !words(from).includes(label)) ||
        (field === 'assignee' && to !== null && bot !== undefined && idsByName[to] === bot),
    )
  );
}

import { describe, expect, it } from 'vitest';
import { linearDeliverySchema } from '../../../../src/core/integrations/inbound/linear-delivery.ts';
import { readLinear } from '../../../../src/core/integrations/inbound/linear-events.ts';
import { subjectOf } from '../../../../src/core/integrations/inbound/linear-subject.ts';
import { commentOf, workOfIssue } from '../../../../src/core/integrations/inbound/linear-work.ts';
import type { SourceRules } from '../../../../src/core/integrations/inbound/source-rules.ts';
import { recordedDeliveries, rulesWith } from '../../../helpers/deliveries.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';

interface Facts {
  type: string;
  action: string;
  actor?: string;
  id: string;
  identifier?: string;
  url: string;
  title: string;
  description?: string | null;
  priority?: number;
  labels?: string[];
  team?: string;
  assignee?: string;
  updatedFromKeys?: string[];
  comment?: { body: string; issueId: string };
}

const deliveries = recordedDeliveries<Facts>('linear');
/** The facts do not say who wrote a comment, or which labels were there before. */
interface Body {
  data: { user?: { name: string } };
  updatedFrom?: { labelIds?: string[] };
}
const writerOf = (payload: unknown) => (payload as Body).data.user?.name;

describe.skipIf(!hasSharedFixtures)('the recorded deliveries of Linear', () => {
  it('finds all recorded deliveries of Linear', () => {
    expect(deliveries).toHaveLength(24);
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(24);
  });

  it.each(deliveries)('parses the recorded delivery $id', ({ headers, payload, facts }) => {
    const read = readLinear({ headers, payload }, () => rulesWith());
    expect(read).toMatchObject({
      event: facts.type,
      action: facts.action,
      sourceId: facts.identifier,
      ...(facts.actor !== undefined && { sender: facts.actor }),
    });
    const delivery = linearDeliverySchema.parse(payload);
    const { issue, comment } = subjectOf(delivery);
    const { identifier } = facts;
    if (issue && identifier !== undefined)
      expect(
        workOfIssue(identifier, issue, delivery, rulesWith({ repository: 'acme/app', branch: 'next' })),
      ).toEqual({
        sourceId: identifier,
        sourceUrl: facts.url,
        title: facts.title,
        description: facts.description ?? '',
        labels: facts.labels ?? [],
        priority: facts.priority || 3,
        repository: 'acme/app',
        branch: 'next',
        contentKey: identifier,
        target: { provider: 'linear', issueId: facts.comment?.issueId ?? facts.id },
      });
    else expect(identifier).toBeUndefined();
    expect(comment && commentOf(comment, delivery)).toEqual(
      facts.comment && {
        id: facts.id,
        body: facts.comment.body,
        url: facts.url,
        author: writerOf(payload),
        isMember: true,
      },
    );
  });

  it.each([
    [{}, 0],
    [{ aiTaskLabel: 'AI' }, 2],
    [{ aiTaskLabel: 'ai', isEnabled: false }, 0],
    [{ aiTaskLabel: 'futa' }, 0],
    [{ aiTaskLabel: 'ai', botAccount: 'mor paz' }, 0],
    [{ aiTaskLabel: 'ai', botAccount: 'Mor Paz', allowBots: ['mor paz'] }, 2],
    [{ botAccount: 'USER@example.com' }, 1],
    [{ botAccount: 'Julian Christensen' }, 1],
  ])(
    'finds the work in the recorded deliveries of Linear with the rules %j',
    (rules: Partial<SourceRules>, count: number) => {
      const verdicts = deliveries.map(({ id, headers, payload, facts }) => {
        const { verdict } = readLinear({ headers, payload }, (place) => {
          expect(place).toBe(facts.team ?? facts.identifier?.split('-')[0]);
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

/** The rules once more, from the facts and the two things that they leave out. */
function expected(facts: Facts, payload: unknown, rules: SourceRules): boolean {
  const { type, action, identifier, comment } = facts;
  const bot = rules.botAccount?.toLowerCase();
  const sender = (facts.actor ?? writerOf(payload))?.toLowerCase();
  if (identifier === undefined || !rules.isEnabled) return false;
  if (sender !== undefined && sender === bot && !rules.allowBots.includes(sender)) return false;
  const hasLabel = (facts.labels ?? []).some(
    (name) => name.toLowerCase() === rules.aiTaskLabel.toLowerCase(),
  );
  const isAssigned = facts.assignee !== undefined && facts.assignee.toLowerCase() === bot;
  switch (`${type}.${action}`) {
    case 'Issue.create':
      return hasLabel || isAssigned;
    case 'Issue.update':
      return (
        (facts.updatedFromKeys?.includes('labelIds') === true &&
          (payload as Body).updatedFrom?.labelIds?.length === 0 &&
          hasLabel) ||
        (facts.updatedFromKeys?.includes('assigneeId') === true && isAssigned)
      );
    case 'Comment.create':
      return (
        comment?.body.startsWith('/ai ') === true ||
        (bot !== undefined && comment?.body.toLowerCase().includes(`@${bot}`) === true)
      );
    default:
      return false;
  }
}

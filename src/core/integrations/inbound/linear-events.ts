import { includesName, isSame, readDelivery } from './lenient.ts';
import { linearDeliverySchema, type LinearDelivery, type LinearIssue } from './linear-delivery.ts';
import { identifierOf, namesOf, subjectOf, type LinearSubject } from './linear-subject.ts';
import { commentOf, workOfComment, workOfIssue } from './linear-work.ts';
import { mentionOf } from './mentions.ts';
import type { SourceRules } from './source-rules.ts';
import type { ReadSource, RulesOf, SourceEvent } from './source-work.ts';
import { addsNothing, lacksLabel, refusalOf, wishOfComment, type Wish } from './wishes.ts';

export const readLinear: ReadSource = ({ payload }, rulesOf) => {
  const delivery = readDelivery(linearDeliverySchema, payload, 'Linear');
  const subject = subjectOf(delivery);
  return {
    event: delivery.type,
    action: delivery.action,
    sender: subject.sender.name,
    sourceId: identifierOf(delivery, subject),
    verdict: judge(delivery, subject, rulesOf),
  };
};

const issueEvents = new Map<
  string,
  (issue: LinearIssue, delivery: LinearDelivery, rules: SourceRules) => Wish
>([
  ['Issue.create', (issue, _delivery, rules) => (isOurs(issue, rules) ? {} : lacksLabel('issue', rules))],
  [
    'Issue.update',
    (issue, delivery, rules) => (isNewlyOurs(issue, delivery, rules) ? {} : addsNothing(rules)),
  ],
  ['AppUserNotification.issueAssignedToYou', () => ({})],
  ['AppUserNotification.issueMention', () => ({})],
]);
const commentEvents = ['Comment.create', 'AppUserNotification.issueCommentMention'];

function judge(delivery: LinearDelivery, subject: LinearSubject, rulesOf: RulesOf): SourceEvent['verdict'] {
  const { type, action, appUserId } = delivery;
  const name = action === undefined ? type : `${type}.${action}`;
  const wishOfIssue = issueEvents.get(name);
  if (!wishOfIssue && !commentEvents.includes(name)) return { ignored: `${name} asks for nothing` };
  const { issue, comment, sender } = subject;
  const sourceId = identifierOf(delivery, subject);
  if (!issue || sourceId === undefined)
    return {
      ignored: comment ? 'The comment is on no issue' : 'The delivery does not say which issue it is about',
    };
  const team = issue.team?.key ?? sourceId.replace(/-\d+$/, '');
  const rules = rulesOf(team);
  if (!rules.isEnabled) return { ignored: `A rule switches ${team} off` };
  const refusal = refusalOf(sender, rules);
  if (refusal !== undefined) return { ignored: refusal };
  if (includesName(sender.names, appUserId)) return { ignored: 'The app itself did it' };

  const work = workOfIssue(sourceId, issue, delivery, rules);
  if (wishOfIssue) {
    const wish = wishOfIssue(issue, delivery, rules);
    return 'ignored' in wish ? wish : { work, rules };
  }
  const said = comment && commentOf(comment, delivery);
  if (!said) return { ignored: 'There is no text in the comment' };
  const wish = wishOfComment(said, rules, { mentionOf, isToUs: type === 'AppUserNotification' });
  return 'ignored' in wish ? wish : { work: { ...workOfComment(work, said), ...wish }, rules };
}

const isAssigned = ({ assignee, assigneeId }: LinearIssue, { botAccount }: SourceRules): boolean =>
  includesName(namesOf(assignee), botAccount) || isSame(assigneeId, botAccount);
const isDelegated = ({ delegate, delegateId }: LinearIssue, { botAccount }: SourceRules): boolean =>
  includesName(namesOf(delegate), botAccount) || isSame(delegateId, botAccount);

const isOurs = (issue: LinearIssue, rules: SourceRules): boolean =>
  issue.labels.some((label) => isSame(label.name, rules.aiTaskLabel)) ||
  isAssigned(issue, rules) ||
  isDelegated(issue, rules);

function isNewlyOurs(issue: LinearIssue, { updatedFrom = {} }: LinearDelivery, rules: SourceRules): boolean {
  const { labelIds } = updatedFrom;
  const isLabelNew =
    Array.isArray(labelIds) &&
    issue.labels.some(
      ({ id, name }) => id !== undefined && !labelIds.includes(id) && isSame(name, rules.aiTaskLabel),
    );
  return (
    isLabelNew ||
    (Object.hasOwn(updatedFrom, 'assigneeId') && isAssigned(issue, rules)) ||
    (Object.hasOwn(updatedFrom, 'delegateId') && isDelegated(issue, rules))
  );
}

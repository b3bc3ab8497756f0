import { includesName, isSame, readDelivery } from './lenient.ts';
import { linearDeliverySchema, type LinearDelivery, type LinearIssue } from './linear-delivery.ts';
import { identifierOf, namesOf, subjectOf, type LinearSubject } from './linear-subject.ts';
import { commentOf, workOfComment, workOfIssue } from './linear-work.ts';
import { mentionOf } from './mentions.ts';
import type { SourceRules } from './source-rules.ts';
import type { ReadSource, RulesOf, SourceEvent } from './source-work.ts';
import { addsNoTrigger, missingTrigger, refusalOf, readComment, type WorkRequest } from './work-request.ts';

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
  (issue: LinearIssue, delivery: LinearDelivery, rules: SourceRules) => WorkRequest
>([
  [
    'Issue.create',
    (issue, _delivery, rules) => (isRequested(issue, rules) ? {} : missingTrigger('issue', rules)),
  ],
  [
    'Issue.update',
    (issue, delivery, rules) => (isNewlyRequested(issue, delivery, rules) ? {} : addsNoTrigger(rules)),
  ],
  ['AppUserNotification.issueAssignedToYou', () => ({})],
  ['AppUserNotification.issueMention', () => ({})],
]);
const commentEvents = ['Comment.create', 'AppUserNotification.issueCommentMention'];

function judge(delivery: LinearDelivery, subject: LinearSubject, rulesOf: RulesOf): SourceEvent['verdict'] {
  const { type, action, appUserId } = delivery;
  const name = action === undefined ? type : `${type}.${action}`;
  const issueRule = issueEvents.get(name);
  if (!issueRule && !commentEvents.includes(name)) return { ignored: `${name} does not create tasks` };
  const { issue, comment, sender } = subject;
  const sourceId = identifierOf(delivery, subject);
  if (!issue || sourceId === undefined)
    return {
      ignored: comment ? 'The comment is not on an issue' : 'The delivery names no issue',
    };
  const team = issue.team?.key ?? sourceId.replace(/-\d+$/, '');
  const rules = rulesOf(team);
  if (!rules.isEnabled) return { ignored: `A rule disables ${team}` };
  const refusal = refusalOf(sender, rules);
  if (refusal !== undefined) return { ignored: refusal };
  if (includesName(sender.names, appUserId)) return { ignored: 'The app made this change itself' };

  const work = workOfIssue(sourceId, issue, delivery, rules);
  if (issueRule) {
    const request = issueRule(issue, delivery, rules);
    return 'ignored' in request ? request : { work, rules };
  }
  const said = comment && commentOf(comment, delivery);
  if (!said) return { ignored: 'The comment has no text' };
  const request = readComment(said, rules, { mentionOf, isAddressedToApp: type === 'AppUserNotification' });
  return 'ignored' in request ? request : { work: { ...workOfComment(work, said), ...request }, rules };
}

const isAssigned = ({ assignee, assigneeId }: LinearIssue, { botAccount }: SourceRules): boolean =>
  includesName(namesOf(assignee), botAccount) || isSame(assigneeId, botAccount);
const isDelegated = ({ delegate, delegateId }: LinearIssue, { botAccount }: SourceRules): boolean =>
  includesName(namesOf(delegate), botAccount) || isSame(delegateId, botAccount);

const isRequested = (issue: LinearIssue, rules: SourceRules): boolean =>
  issue.labels.some((label) => isSame(label.name, rules.aiTaskLabel)) ||
  isAssigned(issue, rules) ||
  isDelegated(issue, rules);

function isNewlyRequested(
  issue: LinearIssue,
  { updatedFrom = {} }: LinearDelivery,
  rules: SourceRules,
): boolean {
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

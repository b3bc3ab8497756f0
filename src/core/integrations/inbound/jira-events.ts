import { jiraDeliverySchema, type JiraChange, type JiraDelivery, type JiraIssue } from './jira-delivery.ts';
import {
  commentOf,
  isBotAccount,
  nameOf,
  projectOf,
  senderOf,
  workOfComment,
  workOfIssue,
} from './jira-work.ts';
import { includesName, isSame, readDelivery } from './lenient.ts';
import { jiraMentionOf } from './mentions.ts';
import { withoutQuotes, withoutWikiQuotes } from './quotes.ts';
import type { SourceRules } from './source-rules.ts';
import type { ReadSource, RulesOf, SourceEvent } from './source-work.ts';
import { addsNoTrigger, missingTrigger, refusalOf, readComment } from './work-request.ts';

export const readJira: ReadSource = ({ payload }, rulesOf) => {
  const delivery = readDelivery(jiraDeliverySchema, payload, 'Jira');
  return {
    event: delivery.webhookEvent,
    action: delivery.issue_event_type_name,
    sender: nameOf(authorOf(delivery)),
    sourceId: delivery.issue?.key,
    verdict: judge(delivery, rulesOf),
  };
};

const authorOf = ({ user, comment }: JiraDelivery) => user ?? comment?.author;

function judge(delivery: JiraDelivery, rulesOf: RulesOf): SourceEvent['verdict'] {
  const { webhookEvent, issue } = delivery;
  const comment = newCommentOf(delivery);
  if (!['jira:issue_created', 'jira:issue_updated', 'comment_created'].includes(webhookEvent))
    return { ignored: `${webhookEvent} does not create tasks` };
  if (!issue) return { ignored: 'The delivery contains no issue' };
  const rules = rulesOf(projectOf(issue));
  if (!rules.isEnabled) return { ignored: `A rule disables ${projectOf(issue)}` };
  const refusal = refusalOf(senderOf(authorOf(delivery)), rules);
  if (refusal !== undefined) return { ignored: refusal };

  const work = workOfIssue(issue, rules);
  if (
    webhookEvent === 'jira:issue_created' &&
    (hasLabel(issue.fields.labels, rules) || isAssigned(issue, rules))
  )
    return { work, rules };
  if (webhookEvent === 'jira:issue_updated' && isNewlyRequested(delivery, issue, rules))
    return { work, rules };
  if (!comment)
    return webhookEvent === 'jira:issue_updated' ? addsNoTrigger(rules) : missingTrigger('issue', rules);
  const said = commentOf(comment, rules);
  const blankQuotes = typeof comment.body === 'string' ? withoutWikiQuotes : withoutQuotes;
  const request = readComment(said, rules, { mentionOf: jiraMentionOf, blankQuotes });
  return 'ignored' in request ? request : { work: { ...workOfComment(work, said), ...request }, rules };
}

/** Jira Server reports new and edited comments as changes of the issue; only new ones count. */
function newCommentOf({ webhookEvent, issue_event_type_name: type, comment }: JiraDelivery) {
  if (webhookEvent === 'comment_created') return comment;
  const isNew =
    type === undefined
      ? comment?.created !== undefined && comment.created === comment.updated
      : type === 'issue_commented';
  return webhookEvent === 'jira:issue_updated' && isNew ? comment : undefined;
}

const hasLabel = (labels: readonly string[], { aiTaskLabel }: SourceRules): boolean =>
  includesName(labels, aiTaskLabel);
const isAssigned = ({ fields }: JiraIssue, rules: SourceRules): boolean =>
  isBotAccount(fields.assignee, rules);

const isNewlyRequested = ({ changelog }: JiraDelivery, issue: JiraIssue, rules: SourceRules): boolean =>
  (changelog?.items ?? []).some(
    (change) =>
      !change.isCustom &&
      (change.field === 'labels'
        ? hasLabel(labelsOf(change.after), rules) && !hasLabel(labelsOf(change.before), rules)
        : change.field === 'assignee' && isNowAssigned(change, issue, rules)),
  );

/** Labels contain no whitespace, but may contain any other character, including quotes. */
const labelsOf = (list: string | undefined): string[] => list?.split(/\s+/) ?? [];

const isNowAssigned = ({ to }: JiraChange, issue: JiraIssue, rules: SourceRules): boolean =>
  to === undefined ? false : isSame(to, rules.botAccount) || isAssigned(issue, rules);

import type { GithubDelivery, GithubItem, GithubUser } from './github-delivery.ts';
import { isBotAccount } from './github-users.ts';
import { isSame } from './lenient.ts';
import type { SourceRules } from './source-rules.ts';
import { missingTrigger, type WorkRequest } from './work-request.ts';

type ItemRule = (item: GithubItem, delivery: GithubDelivery, rules: SourceRules) => WorkRequest;

const plainRequest: WorkRequest = {};

const thingOf = ({ issue }: GithubDelivery): string =>
  issue && !issue.pull_request ? 'issue' : 'pull request';

const hasLabel = (item: GithubItem, { aiTaskLabel }: SourceRules): boolean =>
  item.labels.some((label) => isSame(label.name, aiTaskLabel));

const opened: ItemRule = (item, delivery, rules) =>
  hasLabel(item, rules) || item.assignees.some((assignee) => isBotAccount(assignee, rules))
    ? plainRequest
    : missingTrigger(thingOf(delivery), rules);

const reopened: ItemRule = (item, delivery, rules) =>
  hasLabel(item, rules)
    ? plainRequest
    : { ignored: `The ${thingOf(delivery)} does not have the label ${rules.aiTaskLabel}` };

/** Only the added label counts: the item's list includes older ones, and each new label gets its own delivery. */
const labeled: ItemRule = (_item, { label }, { aiTaskLabel }) =>
  isSame(label?.name, aiTaskLabel)
    ? plainRequest
    : { ignored: `The label ${label?.name ?? 'that was added'} is not ${aiTaskLabel}` };

const assigned: ItemRule = (_item, { assignee }, rules) =>
  isBotAccount(assignee, rules) ? plainRequest : notTheBot('assignee', assignee, rules);

const reviewRequested: ItemRule = (item, { requested_reviewer: reviewer }, rules) =>
  isBotAccount(reviewer, rules)
    ? { prompt: `Review the pull request “${item.title ?? item.number}”.` }
    : notTheBot('reviewer', reviewer, rules);

const notTheBot = (role: string, user: GithubUser | undefined, { botAccount }: SourceRules): WorkRequest => ({
  ignored:
    botAccount === undefined
      ? `No bot account is set that could be the ${role}`
      : `The ${role} ${user?.login ?? 'that was named'} is not ${botAccount}`,
});

const whileOpen =
  (rule: ItemRule): ItemRule =>
  (item, delivery, rules) =>
    item.state === 'closed' ? { ignored: `The ${thingOf(delivery)} is closed` } : rule(item, delivery, rules);

/** The rules for events of issues and pull requests, by `event.action`. */
export const itemEvents: ReadonlyMap<string, ItemRule> = new Map(
  Object.entries({
    'issues.opened': opened,
    'issues.reopened': reopened,
    'issues.labeled': labeled,
    'issues.assigned': assigned,
    'pull_request.opened': opened,
    'pull_request.reopened': reopened,
    'pull_request.labeled': labeled,
    'pull_request.assigned': assigned,
    'pull_request.review_requested': reviewRequested,
  }).map(([name, rule]) => [name, whileOpen(rule)]),
);

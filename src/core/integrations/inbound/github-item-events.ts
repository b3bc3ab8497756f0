import type { GithubDelivery, GithubItem, GithubUser } from './github-delivery.ts';
import { isBotAccount } from './github-users.ts';
import { isSame } from './lenient.ts';
import type { SourceRules } from './source-rules.ts';
import { lacksLabel, type Wish } from './wishes.ts';

type WishOfItem = (item: GithubItem, delivery: GithubDelivery, rules: SourceRules) => Wish;

const nothingMore: Wish = {};

const thingOf = ({ issue }: GithubDelivery): string =>
  issue && !issue.pull_request ? 'issue' : 'pull request';

const hasLabel = (item: GithubItem, { aiTaskLabel }: SourceRules): boolean =>
  item.labels.some((label) => isSame(label.name, aiTaskLabel));

const opened: WishOfItem = (item, delivery, rules) =>
  hasLabel(item, rules) || item.assignees.some((assignee) => isBotAccount(assignee, rules))
    ? nothingMore
    : lacksLabel(thingOf(delivery), rules);

const reopened: WishOfItem = (item, delivery, rules) =>
  hasLabel(item, rules)
    ? nothingMore
    : { ignored: `The ${thingOf(delivery)} does not have the label ${rules.aiTaskLabel}` };

/** The list has older labels too, and each of several new ones comes with a delivery of its own. */
const labeled: WishOfItem = (_item, { label }, { aiTaskLabel }) =>
  isSame(label?.name, aiTaskLabel)
    ? nothingMore
    : { ignored: `The label ${label?.name ?? 'that was added'} is not ${aiTaskLabel}` };

const assigned: WishOfItem = (_item, { assignee }, rules) =>
  isBotAccount(assignee, rules) ? nothingMore : notTheBot('assignee', assignee, rules);

const reviewRequested: WishOfItem = (item, { requested_reviewer: reviewer }, rules) =>
  isBotAccount(reviewer, rules)
    ? { prompt: `Review the pull request “${item.title ?? item.number}”.` }
    : notTheBot('reviewer', reviewer, rules);

const notTheBot = (role: string, user: GithubUser | undefined, { botAccount }: SourceRules): Wish => ({
  ignored:
    botAccount === undefined
      ? `No bot account is set that could be the ${role}`
      : `The ${role} ${user?.login ?? 'that was named'} is not ${botAccount}`,
});

const whileOpen =
  (wishOf: WishOfItem): WishOfItem =>
  (item, delivery, rules) =>
    item.state === 'closed'
      ? { ignored: `The ${thingOf(delivery)} is closed` }
      : wishOf(item, delivery, rules);

/** What events of issues and pull requests ask for, by `event.action`. */
export const itemEvents: ReadonlyMap<string, WishOfItem> = new Map(
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
  }).map(([name, wishOf]) => [name, whileOpen(wishOf)]),
);

import type { GithubDelivery, GithubItem } from './github-delivery.ts';
import { isSame } from './lenient.ts';
import { priorityOfLabels, priorityOfRules } from './priority-words.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceWork } from './source-work.ts';
import { withComment, type SourceComment } from './wishes.ts';

/** The issue or pull request that a delivery is about, also where it only tells of a comment. */
export const itemOf = ({ issue, pull_request }: GithubDelivery): GithubItem | undefined =>
  issue ?? pull_request;

/** `owner/repo#number`, for the number alone names nothing. */
export function sourceIdOf(delivery: GithubDelivery): string | undefined {
  const [place, item] = [delivery.repository?.full_name, itemOf(delivery)];
  return place === undefined || !item ? undefined : `${place}#${item.number}`;
}

export function workOfItem(delivery: GithubDelivery, rules: SourceRules): SourceWork | undefined {
  const [sourceId, place, item] = [sourceIdOf(delivery), delivery.repository?.full_name, itemOf(delivery)];
  if (sourceId === undefined || place === undefined || !item) return undefined;
  const labels = item.labels.map(({ name }) => name);
  return {
    sourceId,
    sourceUrl: item.html_url,
    title: item.title?.trim() ? item.title : sourceId,
    description: item.body ?? '',
    labels,
    priority: priorityOfRules(rules.priorities, labels) ?? priorityOfLabels(labels) ?? 3,
    ...whereToWork(delivery, place, rules),
    contentKey: sourceId,
    target: { provider: 'codehost', repository: place, number: item.number },
  };
}

function whereToWork(
  { issue, pull_request, repository }: GithubDelivery,
  place: string,
  rules: SourceRules,
): Pick<SourceWork, 'repository' | 'branch'> {
  if (pull_request) {
    const { head } = pull_request;
    // A branch of a fork may bear the name of one here, which is another; null is a fork that is gone.
    const isHere = head?.repo !== null && isSame(head?.repo?.full_name ?? place, place);
    return { repository: place, branch: isHere ? head?.ref : undefined };
  }
  // The deliveries of comments on a pull request do not name its branch.
  if (issue?.pull_request) return { repository: place, branch: undefined };
  const isElsewhere = rules.repository !== undefined && !isSame(rules.repository, place);
  return {
    repository: rules.repository ?? place,
    branch: rules.branch ?? (isElsewhere ? undefined : repository?.default_branch),
  };
}

/** The comment, or the text of a review, that a delivery brings. */
export function commentOf({ comment, review }: GithubDelivery): SourceComment | undefined {
  const said = comment ?? review;
  if (said?.body === undefined) return undefined;
  return {
    id: said.id,
    body: said.body,
    url: said.html_url,
    author: said.user?.login,
    isMember: ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(said.author_association ?? ''),
  };
}

/** The work on an issue as a comment on it asks for it. */
export function workOfComment(
  work: SourceWork,
  said: SourceComment,
  { comment }: GithubDelivery,
): SourceWork {
  const { path, line } = comment ?? {};
  const place = path === undefined ? '' : `, at ${path}${line === undefined ? '' : `:${line}`}`;
  return {
    ...work,
    sourceUrl: said.url ?? work.sourceUrl,
    description: withComment(work, said, place),
    contentKey: `${work.sourceId}/comment/${said.id}`,
  };
}

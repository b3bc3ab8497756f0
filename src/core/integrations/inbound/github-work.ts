import type { GithubDelivery, GithubItem } from './github-delivery.ts';
import { isSame } from './lenient.ts';
import { priorityOfLabels, priorityOfRules } from './priority-words.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceWork } from './source-work.ts';
import { describeWithComment, type SourceComment } from './work-request.ts';

/** The issue or pull request of a delivery, including deliveries about a comment. */
export const itemOf = ({ issue, pull_request }: GithubDelivery): GithubItem | undefined =>
  issue ?? pull_request;

/** `owner/repo#number`: the number alone is not unique. */
export function sourceIdOf(delivery: GithubDelivery): string | undefined {
  const [repositoryName, item] = [delivery.repository?.full_name, itemOf(delivery)];
  return repositoryName === undefined || !item ? undefined : `${repositoryName}#${item.number}`;
}

export function workOfItem(delivery: GithubDelivery, rules: SourceRules): SourceWork | undefined {
  const [sourceId, repositoryName, item] = [
    sourceIdOf(delivery),
    delivery.repository?.full_name,
    itemOf(delivery),
  ];
  if (sourceId === undefined || repositoryName === undefined || !item) return undefined;
  const labels = item.labels.map(({ name }) => name);
  return {
    sourceId,
    sourceUrl: item.html_url,
    title: item.title?.trim() ? item.title : sourceId,
    description: item.body ?? '',
    labels,
    priority: priorityOfRules(rules.priorities, labels) ?? priorityOfLabels(labels) ?? 3,
    ...targetBranch(delivery, repositoryName, rules),
    contentKey: sourceId,
    target: { provider: 'github', repository: repositoryName, number: item.number },
  };
}

function targetBranch(
  { issue, pull_request, repository }: GithubDelivery,
  repositoryName: string,
  rules: SourceRules,
): Pick<SourceWork, 'repository' | 'branch'> {
  if (pull_request) {
    const { head } = pull_request;
    // A fork may have a branch with the same name; a deleted fork is null.
    const isHere = head?.repo !== null && isSame(head?.repo?.full_name ?? repositoryName, repositoryName);
    return { repository: repositoryName, branch: isHere ? head?.ref : undefined };
  }
  // Deliveries about a comment on a pull request do not name its branch.
  if (issue?.pull_request) return { repository: repositoryName, branch: undefined };
  const isElsewhere = rules.repository !== undefined && !isSame(rules.repository, repositoryName);
  return {
    repository: rules.repository ?? repositoryName,
    branch: rules.branch ?? (isElsewhere ? undefined : repository?.default_branch),
  };
}

/** The comment or review in a delivery. */
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

/** The work that a comment on the issue requests. */
export function workOfComment(
  work: SourceWork,
  said: SourceComment,
  { comment }: GithubDelivery,
): SourceWork {
  const { path, line } = comment ?? {};
  const position = path === undefined ? '' : `, at ${path}${line === undefined ? '' : `:${line}`}`;
  return {
    ...work,
    sourceUrl: said.url ?? work.sourceUrl,
    description: describeWithComment(work, said, position),
    contentKey: `${work.sourceId}/comment/${said.id}`,
  };
}

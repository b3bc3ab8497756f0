import type { LinearComment, LinearDelivery, LinearIssue } from './linear-delivery.ts';
import { namesOf } from './linear-subject.ts';
import { priorityOfRules } from './priority-words.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceWork } from './source-work.ts';
import { describeWithComment, type SourceComment } from './work-request.ts';

export function workOfIssue(
  sourceId: string,
  issue: LinearIssue,
  { url }: LinearDelivery,
  rules: SourceRules,
): SourceWork {
  return {
    sourceId,
    sourceUrl: issue.url ?? url,
    title: issue.title?.trim() ? issue.title : sourceId,
    description: issue.description ?? '',
    labels: issue.labels.map(({ name }) => name),
    priority: priorityOf(issue, rules),
    repository: rules.repository,
    branch: rules.branch,
    contentKey: sourceId,
    target: issue.id === undefined ? undefined : { provider: 'linear', issueId: issue.id },
  };
}

/** Linear uses the same numbers as we do, and 0 for no priority. */
function priorityOf(
  { priority, priorityLabel, labels }: LinearIssue,
  { priorities }: SourceRules,
): SourceWork['priority'] {
  const names = labels.map(({ name }) => name);
  const ruled = priorityOfRules(priorities, priorityLabel === undefined ? names : [priorityLabel, ...names]);
  return ruled ?? ([1, 2, 4] as const).find((known) => known === priority) ?? 3;
}

export function commentOf(
  comment: LinearComment,
  { url, notification }: LinearDelivery,
): SourceComment | undefined {
  const user = comment.user ?? notification?.actor;
  return comment.body === undefined
    ? undefined
    : {
        id: comment.id,
        body: comment.body,
        url: comment.url ?? url,
        author: user?.name ?? user?.displayName,
        // Authors from elsewhere, such as a synced channel, are not users of the workspace.
        isMember: comment.userId !== undefined || namesOf(user).length > 0,
      };
}

/** The work that a comment on the issue requests. */
export const workOfComment = (work: SourceWork, comment: SourceComment): SourceWork => ({
  ...work,
  sourceUrl: comment.url ?? work.sourceUrl,
  description: describeWithComment(work, comment),
  contentKey: `${work.sourceId}/comment/${comment.id}`,
});

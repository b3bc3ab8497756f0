import type { LinearComment, LinearDelivery, LinearIssue } from './linear-delivery.ts';
import { namesOf } from './linear-subject.ts';
import { priorityOfRules } from './priority-words.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceWork } from './source-work.ts';
import { withComment, type SourceComment } from './wishes.ts';

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
    target: issue.id === undefined ? undefined : { provider: 'tracker_b', issueId: issue.id },
  };
}

/** Linear counts as we do, and 0 is none. */
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
        // Who writes from another place, such as a synchronised channel, is no user of the workspace.
        isMember: comment.userId !== undefined || namesOf(user).length > 0,
      };
}

/** The work on an issue as a comment on it asks for it. */
export const workOfComment = (work: SourceWork, comment: SourceComment): SourceWork => ({
  ...work,
  sourceUrl: comment.url ?? work.sourceUrl,
  description: withComment(work, comment),
  contentKey: `${work.sourceId}/comment/${comment.id}`,
});

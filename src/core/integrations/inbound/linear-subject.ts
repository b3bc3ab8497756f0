import { safeParse } from '../../../contract/safe-parse.ts';
import {
  linearCommentSchema,
  linearIssueSchema,
  type LinearComment,
  type LinearDelivery,
  type LinearIssue,
  type LinearUser,
} from './linear-delivery.ts';
import type { Sender } from './work-request.ts';

/** The issue, comment and sender of a delivery of any type. */
export interface LinearSubject {
  issue?: LinearIssue | undefined;
  comment?: LinearComment | undefined;
  sender: Sender;
}

export function subjectOf(delivery: LinearDelivery): LinearSubject {
  const { type, actor, data, notification } = delivery;
  if (notification) {
    const { issue, comment } = notification;
    return { issue, comment, sender: senderOf(notification.actor ?? actor) };
  }
  // Older deliveries have no actor, but name the author of the comment or the creator of the issue.
  if (type === 'Comment') {
    const comment = safeParse(linearCommentSchema, data).data;
    const author = comment?.user ?? (comment?.userId === undefined ? undefined : { id: comment.userId });
    return {
      comment,
      issue:
        comment?.issue ?? (comment?.issueId === undefined ? undefined : { id: comment.issueId, labels: [] }),
      sender: senderOf(actor ?? author, isOfBot(delivery, comment?.botActor)),
    };
  }
  const issue = type === 'Issue' ? safeParse(linearIssueSchema, data).data : undefined;
  const creator = issue?.creator ?? (issue?.creatorId === undefined ? undefined : { id: issue.creatorId });
  return {
    issue,
    sender: senderOf(
      actor ?? (delivery.action === 'create' ? creator : undefined),
      isOfBot(delivery, issue?.botActor),
    ),
  };
}

/** `botActor` names the creator, not the author of later changes. */
const isOfBot = ({ action }: LinearDelivery, botActor: unknown): boolean =>
  action === 'create' && botActor !== undefined && botActor !== null;

const senderOf = (user: LinearUser | undefined, isOfBot = false): Sender => ({
  name: user?.name ?? user?.displayName ?? user?.service ?? user?.id,
  names: namesOf(user),
  isBot: isOfBot || (user?.type !== undefined && user.type.toLowerCase() !== 'user'),
});

/** The names that settings may use for a user or an app. */
export const namesOf = (user: LinearUser | undefined): string[] =>
  [user?.id, user?.name, user?.displayName, user?.service].filter((name) => name !== undefined);

/** The identifier that people see; older deliveries contain it only in URLs. */
export function identifierOf({ url }: LinearDelivery, { issue, comment }: LinearSubject): string | undefined {
  if (!issue) return undefined;
  if (issue.identifier !== undefined) return issue.identifier;
  for (const address of [issue.url, comment?.url, url]) {
    const found = address === undefined ? undefined : /\/issue\/([^/#?]+-\d+)(?:[/#?]|$)/.exec(address)?.[1];
    if (found !== undefined) return found;
  }
  const { team, number } = issue;
  return team?.key === undefined || number === undefined ? undefined : `${team.key}-${number}`;
}

import {
  linearCommentSchema,
  linearIssueSchema,
  type LinearComment,
  type LinearDelivery,
  type LinearIssue,
  type LinearUser,
} from './linear-delivery.ts';
import type { Sender } from './wishes.ts';

/** What a delivery is about, wherever its type keeps it. */
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
  // Older deliveries name no actor, but who wrote a comment or made an issue is in it.
  if (type === 'Comment') {
    const comment = linearCommentSchema.safeParse(data).data;
    const author = comment?.user ?? (comment?.userId === undefined ? undefined : { id: comment.userId });
    return {
      comment,
      issue:
        comment?.issue ?? (comment?.issueId === undefined ? undefined : { id: comment.issueId, labels: [] }),
      sender: senderOf(actor ?? author, isOfBot(delivery, comment?.botActor)),
    };
  }
  const issue = type === 'Issue' ? linearIssueSchema.safeParse(data).data : undefined;
  const creator = issue?.creator ?? (issue?.creatorId === undefined ? undefined : { id: issue.creatorId });
  return {
    issue,
    sender: senderOf(
      actor ?? (delivery.action === 'create' ? creator : undefined),
      isOfBot(delivery, issue?.botActor),
    ),
  };
}

/** A bot made the issue; that says nothing of who changes it later. */
const isOfBot = ({ action }: LinearDelivery, botActor: unknown): boolean =>
  action === 'create' && botActor !== undefined && botActor !== null;

const senderOf = (user: LinearUser | undefined, isOfBot = false): Sender => ({
  name: user?.name ?? user?.displayName ?? user?.service ?? user?.id,
  names: namesOf(user),
  isBot: isOfBot || (user?.type !== undefined && user.type.toLowerCase() !== 'user'),
});

/** What a setting may call a user or an app. */
export const namesOf = (user: LinearUser | undefined): string[] =>
  [user?.id, user?.name, user?.displayName, user?.service].filter((name) => name !== undefined);

/** The identifier that people see: older deliveries have it in an address only. */
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

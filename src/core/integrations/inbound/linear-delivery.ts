import { z } from 'zod';
import { eventName, id, listOf, maybe, name, text } from './lenient.ts';

const user = z.object({
  id: maybe(id),
  name: maybe(name),
  displayName: maybe(name),
  /** Type of an actor: `user`, or the kind of automation. */
  type: maybe(text),
  /** Identifies an integration, which has no name. */
  service: maybe(name),
});
export type LinearUser = z.output<typeof user>;

export const linearIssueSchema = z.object({
  id: maybe(id),
  identifier: maybe(name),
  number: maybe(z.int()),
  url: maybe(text),
  title: maybe(text),
  description: maybe(text),
  priority: maybe(z.number()),
  priorityLabel: maybe(text),
  team: maybe(z.object({ key: maybe(name) })),
  labels: listOf(z.object({ id: maybe(id), name })),
  assignee: maybe(user),
  assigneeId: maybe(id),
  delegate: maybe(user),
  delegateId: maybe(id),
  creator: maybe(user),
  creatorId: maybe(id),
  /** The bot that created it, as text or as an object. */
  botActor: z.unknown().optional(),
});
export type LinearIssue = z.output<typeof linearIssueSchema>;

export const linearCommentSchema = z.object({
  id,
  body: maybe(text),
  url: maybe(text),
  user: maybe(user),
  userId: maybe(id),
  issueId: maybe(id),
  issue: maybe(linearIssueSchema),
  botActor: z.unknown().optional(),
});
export type LinearComment = z.output<typeof linearCommentSchema>;

/** The fields that we read from a Linear payload. */
export const linearDeliverySchema = z.object({
  type: eventName,
  action: maybe(name),
  url: maybe(text),
  actor: maybe(user),
  data: z.unknown().optional(),
  /** The previous values of the changed fields. */
  updatedFrom: maybe(z.record(z.string(), z.unknown())),
  /** Replaces `data` in notifications to an app. */
  notification: maybe(
    z.object({ actor: maybe(user), issue: maybe(linearIssueSchema), comment: maybe(linearCommentSchema) }),
  ),
  appUserId: maybe(id),
});
export type LinearDelivery = z.output<typeof linearDeliverySchema>;

import { z } from 'zod';
import { eventName, id, listOf, maybe, name, text } from './lenient.ts';

const user = z.object({
  accountId: maybe(name),
  /** Jira Server only. */
  name: maybe(name),
  key: maybe(name),
  displayName: maybe(name),
  accountType: maybe(text),
});
export type JiraUser = z.output<typeof user>;

const fields = z.object({
  summary: maybe(text),
  /** Jira wiki markup, or an Atlassian document. */
  description: z.unknown().optional(),
  labels: listOf(name),
  priority: maybe(z.object({ id: maybe(id), name: maybe(text) })),
  assignee: maybe(user),
  project: maybe(z.object({ key: maybe(name) })),
});

const issue = z.object({
  key: name,
  self: maybe(text),
  fields: fields.catch({ labels: [] }),
});
export type JiraIssue = z.output<typeof issue>;

/** One key is named `toString`, which every object inherits, so only own properties are read. */
const change = z.record(z.string(), z.unknown()).transform((entries) => {
  const read = (key: string): string | undefined => {
    const value = Object.hasOwn(entries, key) ? entries[key] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return {
    field: read('field'),
    isCustom: read('fieldtype') === 'custom',
    to: read('to'),
    before: read('fromString'),
    after: read('toString'),
  };
});
export type JiraChange = z.output<typeof change>;

const comment = z.object({
  id,
  body: z.unknown().optional(),
  author: maybe(user),
  created: maybe(text),
  updated: maybe(text),
});
export type JiraComment = z.output<typeof comment>;

/** The fields that we read from a Jira payload. */
export const jiraDeliverySchema = z.object({
  webhookEvent: eventName,
  issue_event_type_name: maybe(text),
  user: maybe(user),
  issue: maybe(issue),
  changelog: maybe(z.object({ items: listOf(change) })),
  comment: maybe(comment),
});
export type JiraDelivery = z.output<typeof jiraDeliverySchema>;

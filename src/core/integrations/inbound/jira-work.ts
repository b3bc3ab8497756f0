import { adfToText, type AdfMention } from './adf-to-text.ts';
import type { JiraComment, JiraIssue, JiraUser } from './jira-delivery.ts';
import { cleanText, includesName, isSame } from './lenient.ts';
import { priorityOfName, priorityOfRules } from './priority-words.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceWork } from './source-work.ts';
import { describeWithComment, type Sender, type SourceComment } from './work-request.ts';

/** The names that settings may use for a user: account id, or user name of Jira Server. Users can choose any display name. */
const namesOf = (user: JiraUser | undefined): string[] =>
  [user?.accountId, user?.name, user?.key].filter((name) => name !== undefined);

export const isBotAccount = (user: JiraUser | undefined, { botAccount }: SourceRules): boolean =>
  includesName(namesOf(user), botAccount);

export const nameOf = (user: JiraUser | undefined): string | undefined =>
  user?.displayName ?? user?.name ?? user?.accountId;

export const senderOf = (user: JiraUser | undefined): Sender => ({
  name: nameOf(user),
  names: namesOf(user),
  isBot: user?.accountType === 'app',
});

export const projectOf = ({ key, fields }: JiraIssue): string =>
  fields.project?.key ?? key.replace(/-\d+$/, '');

export function workOfIssue(issue: JiraIssue, rules: SourceRules): SourceWork {
  const { key, fields } = issue;
  const site = siteOf(issue);
  return {
    sourceId: key,
    sourceUrl: site && `${site}/browse/${key}`,
    title: fields.summary?.trim() ? fields.summary : key,
    description: textOf(fields.description),
    labels: fields.labels,
    priority: priorityOf(issue, rules),
    repository: rules.repository,
    branch: rules.branch,
    contentKey: key,
    target: site === undefined ? undefined : { provider: 'jira', site, issueKey: key },
  };
}

/** The path of `self` differs between Jira versions; its origin is the site. */
function siteOf({ self }: JiraIssue): string | undefined {
  const url = self === undefined ? undefined : URL.parse(self);
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

function priorityOf({ fields }: JiraIssue, { priorities }: SourceRules): SourceWork['priority'] {
  const { name, id } = fields.priority ?? {};
  const ruled = priorityOfRules(priorities, [...(name === undefined ? [] : [name]), ...fields.labels]);
  const number = Number.parseInt(id ?? '', 10);
  return ruled ?? priorityOfName(name) ?? (number >= 1 ? (Math.min(number, 4) as SourceWork['priority']) : 3);
}

const textOf = (value: unknown, writeMention?: (mention: AdfMention) => string): string =>
  cleanText(typeof value === 'string' ? value : adfToText(value, writeMention));

/** The comment as text; in a document, mentions of the bot account are rendered in Jira's markup. */
export const commentOf = (comment: JiraComment, { botAccount }: SourceRules): SourceComment => ({
  id: comment.id,
  body: textOf(comment.body, ({ id, text }) => (isSame(id, botAccount) ? `[~accountid:${id}]` : text)),
  url: undefined,
  author: nameOf(comment.author),
  // Service desk customers are guests; all other authors have an account at the site.
  isMember: comment.author !== undefined && comment.author.accountType !== 'customer',
});

/** The work that a comment on the issue requests. */
export const workOfComment = (work: SourceWork, comment: SourceComment): SourceWork => ({
  ...work,
  description: describeWithComment(work, comment),
  contentKey: `${work.sourceId}/comment/${comment.id}`,
});

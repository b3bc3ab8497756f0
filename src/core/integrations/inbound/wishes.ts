import { isOwnComment } from './comment-marker.ts';
import { includesName } from './lenient.ts';
import { askOf } from './mentions.ts';
import type { SourceRules } from './source-rules.ts';

/** What an event asks for, or why it asks for nothing. */
export type Wish = { prompt?: string } | { ignored: string };

export interface Sender {
  /** By which people know it. */
  name: string | undefined;
  /** Everything that a setting may call it. */
  names: readonly string[];
  isBot: boolean;
}

export interface SourceComment {
  id: string;
  body: string;
  url: string | undefined;
  author: string | undefined;
  /** Whether its author belongs to the place, as far as the vendor says. */
  isMember: boolean;
}

/** Why nothing of the sender counts: work of a bot could ask for work without end. */
export function refusalOf({ name, names, isBot }: Sender, rules: SourceRules): string | undefined {
  if (rules.allowBots.some((allowed) => includesName(names, allowed))) return undefined;
  if (includesName(names, rules.botAccount)) return `${name} is the bot account itself`;
  return isBot ? `${name ?? 'The sender'} is a bot, and no rule allows it` : undefined;
}

interface CommentReading {
  mentionOf: (account: string) => RegExp;
  blankQuotes?: (body: string) => string;
  /** Where the vendor itself says that the comment speaks to us. */
  isToUs?: boolean;
}

export function wishOfComment(
  { body, author, isMember }: SourceComment,
  { botAccount, commenters }: SourceRules,
  { mentionOf, blankQuotes, isToUs = false }: CommentReading,
): Wish {
  if (isOwnComment(body)) return { ignored: 'The comment is one of our own' };
  const mention = botAccount === undefined ? undefined : mentionOf(botAccount);
  const ask = askOf(body, mention, blankQuotes) ?? (isToUs ? body.trim() : undefined);
  if (ask === undefined) {
    const mentioning = botAccount === undefined ? '' : ` or mention ${botAccount}`;
    return { ignored: `The comment does not begin with /ai${mentioning}` };
  }
  if (commenters === 'members' && !isMember)
    return { ignored: `${author ?? 'The author of the comment'} is not a member` };
  return ask === '' ? {} : { prompt: ask };
}

/** Why the thing asks for nothing, where neither its label nor its assignee does. */
export const lacksLabel = (thing: string, { aiTaskLabel, botAccount }: SourceRules): { ignored: string } => ({
  ignored:
    `The ${thing} does not have the label ${aiTaskLabel}` +
    (botAccount === undefined ? '' : ` and is not assigned to ${botAccount}`),
});

/** Why a change of an issue asks for nothing. */
export const addsNothing = ({ aiTaskLabel, botAccount }: SourceRules): { ignored: string } => ({
  ignored:
    `The change does not add the label ${aiTaskLabel}` +
    (botAccount === undefined ? '' : ` or assign ${botAccount}`),
});

/** The description of an issue with a comment on it below. */
export const withComment = (
  issue: { title: string; description: string },
  { author, body }: SourceComment,
  place = '',
): string =>
  [
    issue.description,
    `Comment${author === undefined ? '' : ` of ${author}`} on “${issue.title}”${place}:`,
    body,
  ]
    .filter((part) => part !== '')
    .join('\n\n');

import { isOwnComment } from './comment-marker.ts';
import { includesName } from './lenient.ts';
import { commandOf } from './mentions.ts';
import type { SourceRules } from './source-rules.ts';

/** The work that an event requests, or why it is ignored. */
export type WorkRequest = { prompt?: string } | { ignored: string };

export interface Sender {
  /** The display name. */
  name: string | undefined;
  /** All names that settings may use for it. */
  names: readonly string[];
  isBot: boolean;
}

export interface SourceComment {
  id: string;
  body: string;
  url: string | undefined;
  author: string | undefined;
  /** Whether the author is a member of the repository, project or workspace, according to the vendor. */
  isMember: boolean;
}

/** Why deliveries from the sender are ignored: bots could create tasks in a loop. */
export function refusalOf({ name, names, isBot }: Sender, rules: SourceRules): string | undefined {
  if (rules.allowBots.some((allowed) => includesName(names, allowed))) return undefined;
  if (includesName(names, rules.botAccount)) return `${name} is the bot account itself`;
  return isBot ? `${name ?? 'The sender'} is a bot, and no rule allows it` : undefined;
}

interface CommentReading {
  mentionOf: (account: string) => RegExp;
  blankQuotes?: (body: string) => string;
  /** Whether the vendor itself addressed the comment to our app. */
  isAddressedToApp?: boolean;
}

export function readComment(
  { body, author, isMember }: SourceComment,
  { botAccount, commenters }: SourceRules,
  { mentionOf, blankQuotes, isAddressedToApp = false }: CommentReading,
): WorkRequest {
  if (isOwnComment(body)) return { ignored: 'The comment was written by svc' };
  const mention = botAccount === undefined ? undefined : mentionOf(botAccount);
  const command = commandOf(body, mention, blankQuotes) ?? (isAddressedToApp ? body.trim() : undefined);
  if (command === undefined) {
    const mentioning = botAccount === undefined ? '' : ` or mention ${botAccount}`;
    return { ignored: `The comment does not begin with /ai${mentioning}` };
  }
  if (commenters === 'members' && !isMember)
    return { ignored: `${author ?? 'The author of the comment'} is not a member` };
  return command === '' ? {} : { prompt: command };
}

/** The reason when neither a label nor an assignee requests work. */
export const missingTrigger = (
  thing: string,
  { aiTaskLabel, botAccount }: SourceRules,
): { ignored: string } => ({
  ignored:
    `The ${thing} does not have the label ${aiTaskLabel}` +
    (botAccount === undefined ? '' : ` and is not assigned to ${botAccount}`),
});

/** The reason when a change of an issue requests no work. */
export const addsNoTrigger = ({ aiTaskLabel, botAccount }: SourceRules): { ignored: string } => ({
  ignored:
    `The change does not add the label ${aiTaskLabel}` +
    (botAccount === undefined ? '' : ` or assign ${botAccount}`),
});

/** Appends a comment to the description of its issue. */
export const describeWithComment = (
  issue: { title: string; description: string },
  { author, body }: SourceComment,
  position = '',
): string =>
  [
    issue.description,
    `Comment${author === undefined ? '' : ` of ${author}`} on “${issue.title}”${position}:`,
    body,
  ]
    .filter((part) => part !== '')
    .join('\n\n');

import { withoutQuotes } from './quotes.ts';

/**
 * Matches `@name` as GitHub and Linear do: not within an e-mail address, a longer name or a team name. Mentions omit the
 * `[bot]` suffix of an app's login.
 */
export const mentionOf = (account: string): RegExp =>
  new RegExp(
    `(?<![\\w@/])@${escaped(account.replace(/\[bot\]$/i, ''))}(?:\\[bot\\])?(?![\\w/-]|\\.+\\w)`,
    'i',
  );

/** Matches a mention in Jira's markup, by account id or by the user name of Jira Server. */
export const jiraMentionOf = (account: string): RegExp =>
  new RegExp(`\\[~(?:accountid:)?${escaped(account)}\\]`, 'i');

const escaped = (name: string): string => name.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&');

/**
 * The request of a comment that starts with the command `/ai` or mentions the account outside quotes and code. Empty
 * if there is no further text, undefined if the comment does neither.
 */
export function commandOf(
  body: string,
  mention: RegExp | undefined,
  blankQuotes: (body: string) => string = withoutQuotes,
): string | undefined {
  const command = /^\/ai(?:\s|$)/.exec(body);
  if (command) return body.slice(command[0].length).trim();
  const found = mention?.exec(blankQuotes(body));
  if (!found) return undefined;
  const after = body
    .slice(found.index + found[0].length)
    .replace(/^[,:;!]+/, '')
    .trim();
  if (hasWords(after)) return after;
  const before = body.slice(0, found.index).trim().replace(/,$/, '');
  return hasWords(before) ? before : '';
}

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

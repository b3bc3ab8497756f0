import { withoutQuotes } from './quotes.ts';

/**
 * Finds `@name` as GitHub and Linear do: no part of an address, of a longer name or of the name of a team. The suffix
 * of an app's login is not written in a mention.
 */
export const mentionOf = (account: string): RegExp =>
  new RegExp(
    `(?<![\\w@/])@${escaped(account.replace(/\[bot\]$/i, ''))}(?:\\[bot\\])?(?![\\w/-]|\\.+\\w)`,
    'i',
  );

/** Finds the mention in Jira's markup, of an account id or of a user name of Jira Server. */
export const jiraMentionOf = (account: string): RegExp =>
  new RegExp(`\\[~(?:accountid:)?${escaped(account)}\\]`, 'i');

const escaped = (name: string): string => name.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&');

/**
 * What a comment asks for when it begins with the command `/ai` or mentions the account outside quotes and code; empty
 * where it says no more than that, undefined where it asks for nothing.
 */
export function askOf(
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

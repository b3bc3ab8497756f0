import type { GithubUser } from './github-delivery.ts';
import { includesName } from './lenient.ts';
import type { SourceRules } from './source-rules.ts';
import type { Sender } from './work-request.ts';

/** An app's login ends in [bot], which people omit. */
const namesOf = (user: GithubUser | undefined): string[] =>
  user?.login === undefined
    ? []
    : [user.login, ...(user.type === 'Bot' ? [user.login.replace(/\[bot\]$/i, '')] : [])];

export const isBotAccount = (user: GithubUser | undefined, { botAccount }: SourceRules): boolean =>
  includesName(namesOf(user), botAccount);

export const senderOf = (user: GithubUser | undefined): Sender => ({
  name: user?.login,
  names: namesOf(user),
  isBot: user?.type === 'Bot',
});

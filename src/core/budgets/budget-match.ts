import type { Budget } from '../../contract/budgets.ts';
import type { Database } from '../storage/database.ts';
import { matchesWildcard } from '../text/matches-wildcard.ts';

type Matched = Pick<Budget, 'scope' | 'match'>;

/** Whether a user is named by the e-mail address; IDs have neither of the signs. */
const isAddress = (match: string): boolean => /[@*]/.test(match);

/** Whether a budget has one sum for all that its `match` fits. */
export const isShared = ({ scope, match = '' }: Matched): boolean =>
  match.includes('*') || (scope === 'user' && isAddress(match));

/** Whether a budget is for one user, or for what is theirs: for others the administrators decide. */
export const isOfOneUser = (budget: Matched): boolean =>
  ['task', 'token', 'user'].includes(budget.scope) && !isShared(budget);

/** Whether the e-mail address of a user decides. */
export const isByAddress = ({ scope, match = '' }: Matched): boolean => scope === 'user' && isAddress(match);

/** Whether a budget is for the one with this key; `address` is the e-mail address of the user. */
export function fits(budget: Matched, key: string, address: string | undefined): boolean {
  const { match } = budget;
  if (match === undefined) return true;
  if (!isByAddress(budget)) return matchesWildcard(key, match);
  return address !== undefined && matchesAddress(address, match);
}

const matchesAddress = (address: string, match: string): boolean =>
  matchesWildcard(address.toLowerCase(), match.toLowerCase());

/** The counters that one sum adds up. */
export interface SharedCounters {
  /** What all of their names begin with. */
  prefix: string;
  has(name: string): boolean;
}

/** The counters that a budget with the counter `counts` adds up; undefined where it is a counter itself. */
export async function sharedCounters(
  { read }: Pick<Database, 'read'>,
  counts: string,
): Promise<SharedCounters | undefined> {
  const colon = counts.indexOf(':');
  const [scope, match] = [counts.slice(0, colon), counts.slice(colon + 1)];
  if (scope === 'user' && isAddress(match)) {
    const users = await read.selectFrom('users').select(['id', 'email']).execute();
    const names = new Set(
      users.filter(({ email }) => matchesAddress(email, match)).map(({ id }) => `user:${id}`),
    );
    return { prefix: 'user:', has: (name) => names.has(name) };
  }
  if (!match.includes('*')) return undefined;
  return {
    prefix: counts.slice(0, counts.indexOf('*')),
    has: (name) => matchesWildcard(name, counts),
  };
}

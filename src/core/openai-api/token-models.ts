import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import { matchesWildcard } from '../text/matches-wildcard.ts';

/** Whether the caller may use a model, a route or an agent by this name: with a token, only those that it allows. */
export const mayUseModel = ({ token }: Caller, name: string): boolean =>
  token?.models === undefined || token.models.some((pattern) => matchesWildcard(name, pattern));

/** Throws `forbidden` unless the caller may use the model. */
export function requireModel(caller: Caller, name: string): void {
  if (mayUseModel(caller, name)) return;
  const message = `This token may not use the model ${name}. It may use: ${caller.token?.models?.join(', ')}`;
  throw new AppError('forbidden', message, { details: [{ path: 'model', message }] });
}

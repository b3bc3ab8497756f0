import { closest } from '../../contract/closest.ts';
import { AppError } from '../errors.ts';

/** The error for a name that no provider has. */
export function unknownProvider(
  name: string,
  names: readonly string[],
  { code = 'validation', path = 'provider' }: { code?: 'validation' | 'not_found'; path?: string } = {},
): AppError {
  const meant = closest(name, names);
  const hint = meant === undefined ? `There are: ${names.join(', ')}.` : `Did you mean ${meant}?`;
  const message = `There is no model provider "${name.slice(0, 50)}". ${hint}`;
  return new AppError(code, message, { details: [{ path, message }] });
}

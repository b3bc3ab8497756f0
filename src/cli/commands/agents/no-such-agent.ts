import { closest } from '../../../contract/closest.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** The error for a name that no agent has, with the closest one that there is. */
export function noSuchAgent(type: string, types: string[]): CliError {
  const meant = closest(type, types);
  return new CliError(
    exitCodes.invalid,
    `There is no agent "${type}".${meant === undefined ? ` Available: ${types.join(', ')}.` : ` Did you mean ${meant}?`}`,
    { next: 'See: svc agents ls' },
  );
}

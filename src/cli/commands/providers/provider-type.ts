import type { ProviderName } from '../../../contract/providers.ts';
import { CliError } from '../../errors/cli-error.ts';
import { closest } from '../../../contract/closest.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** Throws unless the daemon knows a provider of this type. */
export function requireProvider(text: string, providers: readonly { type: ProviderName }[]): ProviderName {
  const types = providers.map(({ type }) => type);
  const known = types.find((type) => type === text);
  if (known) return known;
  const meant = closest(text, types);
  throw new CliError(
    exitCodes.notFound,
    `There is no provider "${text}".${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    { next: 'See them: svc providers ls --all' },
  );
}

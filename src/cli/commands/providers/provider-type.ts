import type { ModelProviderType } from '../../../contract/providers.ts';
import { CliError } from '../../errors/cli-error.ts';
import { closest } from '../../program/closest.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** Throws unless the daemon knows a provider of this type. */
export function requireProvider(text: string, providers: { type: ModelProviderType }[]): ModelProviderType {
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

import type { SearchMemory, SearchMethod } from '../../../contract/memory.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { toIndexedPath } from './shown-path.ts';

export interface SearchOptions {
  limit?: number;
  minScore?: number;
  under?: string;
  method?: SearchMethod;
  json?: boolean;
  quiet?: boolean;
}

/** What the daemon is asked for. */
export function searchBody(
  cli: Cli,
  words: string[],
  { limit, minScore, under, method }: SearchOptions,
): { body: Pick<SearchMemory, 'query'> & Partial<SearchMemory> } {
  const query = words.join(' ');
  if (query.trim() === '')
    throw new CliError(exitCodes.usage, 'Search for what?', { next: 'Example: svc memory search deploy' });
  return {
    body: {
      query,
      ...(limit !== undefined && { maxResults: limit }),
      ...(minScore !== undefined && { minScore }),
      ...(under !== undefined && { under: toIndexedPath(cli, under) }),
      ...(method && { method }),
    },
  };
}

/** Says why a search went by words only. */
export function noteReason({ output }: Cli, reason: string | undefined): void {
  if (reason === undefined) return;
  const text = escapeLine(reason);
  output.note(/^searched by keywords/i.test(text) ? text : `Searched by keywords only: ${text}`);
}

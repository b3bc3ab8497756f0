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

/** The request body of a search. */
export function searchBody(
  cli: Cli,
  words: string[],
  { limit, minScore, under, method }: SearchOptions,
): { body: Pick<SearchMemory, 'query'> & Partial<SearchMemory> } {
  const query = words.join(' ');
  if (query.trim() === '')
    throw new CliError(exitCodes.usage, 'Missing search query.', {
      next: 'Example: svc memory search deploy',
    });
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

/** Explains why only keywords were searched. */
export function noteReason({ output }: Cli, reason: string | undefined): void {
  if (reason === undefined) return;
  const text = escapeLine(reason);
  output.note(/^searched by keywords/i.test(text) ? text : `Searched by keywords only: ${text}`);
}

import type { BestOf, Pick as PickWay } from '../../../contract/best-of.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

export interface BestOfOptions {
  agent?: string;
  agents?: string;
  bestOf?: number;
  pick?: PickWay;
}

/** What the options say about candidates; undefined where the task has none. */
export function bestOfOf({ agent, agents: text, bestOf, pick }: BestOfOptions): BestOf | undefined {
  const agents = text
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const count = bestOf ?? agents?.length;
  if (count === undefined) {
    if (pick === undefined) return undefined;
    throw new CliError(exitCodes.usage, '--pick needs candidates to choose from.', {
      next: 'Example: --agents claude,codex --pick judge',
    });
  }
  if (agents && agent !== undefined)
    throw new CliError(exitCodes.usage, '--agent and --agents exclude each other.');
  if (count < 2)
    throw new CliError(exitCodes.usage, 'There is nothing to compare with one candidate.', {
      next: 'Example: --best-of 3, or --agents claude,codex',
    });
  return { count, ...(agents && { agents }), pick: pick ?? 'verify' };
}

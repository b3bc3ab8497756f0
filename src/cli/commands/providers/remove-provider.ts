import { escapeLine } from '../../output/escape-text.ts';
import { printWarnings } from '../../output/print-warnings.ts';
import type { Cli } from '../../program/cli.ts';

/** `svc providers rm NAME`: the daemon refuses for one that is in use, unless it is forced. */
export async function removeProvider(
  cli: Cli,
  name: string,
  { force, json }: { force?: boolean; json?: boolean },
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.providers.remove({
    params: { type: name },
    query: { ...(force && { force: true }) },
  });
  if (json) return output.json(answer);
  printWarnings(output, answer);
  output.note(`${escapeLine(name)} removed.`);
}

import { confirm } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Vendor } from './vendors.ts';
import { connectedAccount } from './connected-account.ts';

/** `svc integrations disconnect NAME`. */
export async function disconnectVendor(
  cli: Cli,
  { provider, name, word }: Vendor,
  { yes = false, json, user }: { yes?: boolean; json?: boolean; user?: string },
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  // The status shows the caller's own account only.
  const account = user ?? (await connectedAccount(client, provider)).name;
  if (account === undefined)
    throw new CliError(exitCodes.invalid, `${name} is not connected.`, {
      next: `Connect it: svc integrations connect ${word}`,
    });
  if (!yes && !(await confirm(cli, `Disconnect ${name} (${escapeLine(account)})?`)))
    throw new CliError(exitCodes.cancelled, 'Nothing was changed.');
  const { integrations } = client;
  const disconnect = {
    codehost: integrations.disconnectCodehost,
    tracker_a: integrations.disconnectTrackerA,
    tracker_b: integrations.disconnectTrackerB,
  };
  const answer = await disconnect[provider](user === undefined ? {} : { query: { userId: user } });
  if (json) output.json(answer);
  else output.note(`${escapeLine(answer.message)}.`);
}

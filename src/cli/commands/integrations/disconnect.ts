import { productNames, type Vendor } from '../../../contract/vendors.ts';
import { confirm } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { connectedAccount } from './connected-account.ts';

/** `svc integrations disconnect NAME`. */
export async function disconnectVendor(
  cli: Cli,
  vendor: Vendor,
  { yes = false, json, user }: { yes?: boolean; json?: boolean; user?: string },
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const name = productNames[vendor];
  // The status shows the caller's own account only.
  const account = user ?? (await connectedAccount(client, vendor)).name;
  if (account === undefined)
    throw new CliError(exitCodes.invalid, `${name} is not connected.`, {
      next: `Connect it: svc integrations connect ${vendor}`,
    });
  if (!yes && !(await confirm(cli, `Disconnect ${name} (${escapeLine(account)})?`)))
    throw new CliError(exitCodes.cancelled, 'Nothing was changed.');
  const { integrations } = client;
  const disconnect = {
    github: integrations.disconnectGithub,
    jira: integrations.disconnectJira,
    linear: integrations.disconnectLinear,
  };
  const answer = await disconnect[vendor](user === undefined ? {} : { query: { userId: user } });
  if (json) output.json(answer);
  else output.note(`${escapeLine(answer.message)}.`);
}

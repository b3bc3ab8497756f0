import type { Client } from '../../../contract/client.ts';
import type { ProviderName } from '../../../contract/oauth.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { spellLeft } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Vendor } from './vendors.ts';
import { waitUntil } from '../../connection/wait-until.ts';
import { connectedAccount } from './connected-account.ts';
import { baseUrlOf, knownSettings, missingApp } from './known-settings.ts';

const EVERY_MS = 2000;
/** As long as the daemon keeps what a browser has begun. */
const USUAL_WAIT_MS = 600_000;

export interface ConnectOptions {
  wait: boolean;
  again?: boolean;
  timeout?: number;
  json?: boolean;
}

/** `svc integrations connect NAME`: a link that signs a browser in and leads to the vendor, alone on stdout. */
export async function connectVendor(cli: Cli, vendor: Vendor, options: ConnectOptions): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { provider, name, word } = vendor;
  const { again = false, json = false, timeout = USUAL_WAIT_MS } = options;
  const before = await connectedAccount(client, provider);
  if (before.name !== undefined && !again) {
    if (json) return output.jsonLine(before.status);
    return output.note(
      `${name} is connected already, as ${escapeLine(before.name)}. Another account: svc integrations connect ${word} --again`,
    );
  }
  await requireApp(cli, client, vendor);
  const link = await client.auth.createSignInLink({ body: { returnTo: `/api/auth/${provider}` } });
  if (json) output.jsonLine(link);
  else output.write(`${link.url}\n`);
  const left = spellLeft(link.expiresAt, Date.now());
  output.note(
    `Open it in a browser, here or on another machine that reaches it: it signs you in and leads to ${name}.\nIt is good once, for ${left}.`,
  );
  // What was there before looks the same as what comes now.
  if (!options.wait || again) return output.note('What came of it: svc integrations ls');
  const waiting = waitUntil({
    ask: async (signal) => {
      const now = await connectedAccount(client, provider, { signal });
      return now.name === undefined ? undefined : now;
    },
    everyMs: EVERY_MS,
    timeoutMs: timeout,
    gaveUp: 'Gave up; what happens in the browser still counts.',
    tooLate: {
      message: `${name} is not connected yet.`,
      next: `Another link: svc integrations connect ${word}`,
    },
  });
  // Ctrl-C is taken care of from here on.
  output.note(output.paintError('dim', `Waiting until you have agreed at ${name}. Ctrl-C gives up.`));
  const account = await waiting;
  if (json) output.jsonLine(account.status);
  output.note(`${name} is connected, as ${escapeLine(account.name ?? '')}.`);
}

/** Where people make the app that the daemon is at each vendor. */
const appsAt: Record<ProviderName, string> = {
  codehost: 'https://github.com/settings/developers',
  tracker_a: 'https://developer.atlassian.com/console/myapps',
  tracker_b: 'https://linear.app/settings/api/applications/new',
};

/** Ends the command, with all that is left to do, where the daemon is nobody at the vendor. */
async function requireApp(cli: Cli, client: Client, { provider, name, word }: Vendor): Promise<void> {
  const settings = await knownSettings(client);
  const missing = settings ? missingApp(settings, provider) : [];
  if (missing.length === 0) return;
  const baseUrl = baseUrlOf(settings) ?? cli.connect().target.url;
  cli.output.note(
    [
      `Make an OAuth app at ${appsAt[provider]} with this callback URL:`,
      `  ${escapeLine(baseUrl)}/api/auth/${provider}/callback`,
      'and tell the daemon what it is called there; the secret is typed unseen or piped in:',
      ...missing.map((command) => `  ${command}`),
    ].join('\n'),
  );
  throw new CliError(exitCodes.configuration, `The daemon has no OAuth app at ${name} yet.`, {
    next: `When it has: svc integrations connect ${word}`,
  });
}

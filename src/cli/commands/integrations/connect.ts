import type { Client } from '../../../contract/client.ts';
import { oauthAppPages, productNames, type Vendor, wireName } from '../../../contract/vendors.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { formatLeft } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { waitUntil } from '../../connection/wait-until.ts';
import { connectedAccount } from './connected-account.ts';
import { baseUrlOf, knownSettings, missingApp } from './known-settings.ts';

const EVERY_MS = 2000;
/** As long as the daemon keeps a started authorization. */
const USUAL_WAIT_MS = 600_000;

export interface ConnectOptions {
  wait: boolean;
  again?: boolean;
  timeout?: number;
  json?: boolean;
}

/** `svc integrations connect NAME`: prints only the link that signs a browser in and continues to the vendor. */
export async function connectVendor(cli: Cli, vendor: Vendor, options: ConnectOptions): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const name = productNames[vendor];
  const { again = false, json = false, timeout = USUAL_WAIT_MS } = options;
  const before = await connectedAccount(client, vendor);
  if (before.name !== undefined && !again) {
    if (json) return output.jsonLine(before.status);
    return output.note(
      `${name} is already connected as ${escapeLine(before.name)}. To use another account: svc integrations connect ${vendor} --again`,
    );
  }
  await requireApp(cli, client, vendor);
  const link = await client.auth.createSignInLink({ body: { returnTo: `/api/auth/${wireName(vendor)}` } });
  if (json) output.jsonLine(link);
  else output.write(`${link.url}\n`);
  const left = formatLeft(link.expiresAt, Date.now());
  output.note(
    `Open it in a browser on any machine that can reach the daemon: it signs you in and continues to ${name}.\nIt works once and expires in ${left}.`,
  );
  // A reconnected account looks the same as before.
  if (!options.wait || again) return output.note('Check the result: svc integrations ls');
  const waiting = waitUntil({
    ask: async (signal) => {
      const now = await connectedAccount(client, vendor, { signal });
      return now.name === undefined ? undefined : now;
    },
    everyMs: EVERY_MS,
    timeoutMs: timeout,
    gaveUp: 'Stopped waiting; you can still finish in the browser.',
    tooLate: {
      message: `${name} is not connected yet.`,
      next: `Get a new link: svc integrations connect ${vendor}`,
    },
  });
  // From here on Ctrl-C is handled.
  output.note(
    output.paintError('dim', `Waiting for you to authorize at ${name}. Press Ctrl-C to stop waiting.`),
  );
  const account = await waiting;
  if (json) output.jsonLine(account.status);
  output.note(`Connected ${name} as ${escapeLine(account.name ?? '')}.`);
}

/** Throws with instructions if the daemon has no OAuth app at the vendor. */
async function requireApp(cli: Cli, client: Client, vendor: Vendor): Promise<void> {
  const settings = await knownSettings(client);
  const missing = settings ? missingApp(settings, vendor) : [];
  if (missing.length === 0) return;
  const baseUrl = baseUrlOf(settings) ?? cli.connect().target.url;
  cli.output.note(
    [
      `Create an OAuth app at ${oauthAppPages[vendor]} with this callback URL:`,
      `  ${escapeLine(baseUrl)}/api/auth/${wireName(vendor)}/callback`,
      'then configure it; the secret is prompted for without echo, or piped in:',
      ...missing.map((command) => `  ${command}`),
    ].join('\n'),
  );
  throw new CliError(exitCodes.configuration, `No OAuth app is configured for ${productNames[vendor]}.`, {
    next: `Once configured: svc integrations connect ${vendor}`,
  });
}

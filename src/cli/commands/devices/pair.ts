import { hostname } from 'node:os';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { checkContextName, saveContext } from '../../connection/context-store.ts';
import { readContexts } from '../../connection/contexts-file.ts';
import { headersOf } from '../../connection/credential.ts';
import { formatLeft } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { type Fact, formatFacts } from '../../output/facts.ts';
import { httpFetch } from '../../connection/http-fetch.ts';
import { createClient } from '../../../contract/client.ts';
import { routeTable } from '../../../contract/route-table.ts';
import type { Target } from '../../connection/target.ts';
import { userAgent } from '../../program/version.ts';
import { warnUnencrypted } from '../../connection/warn-unencrypted.ts';
import { deviceKey } from './device-key.ts';
import { formatFingerprint } from './format-fingerprint.ts';
import { requireApproved, watchPairing } from './watch-pairing.ts';

export interface PairOptions {
  name?: string;
  deviceName?: string;
  timeout?: number;
  json?: boolean;
}

/** `svc devices pair`, on the new machine: requests to pair, shows a code, waits for the approval and stores the session. */
export async function pair(
  cli: Cli,
  { name, deviceName = hostname(), timeout, json }: PairOptions,
): Promise<void> {
  const { output, locations } = cli;
  const { target, fetch } = cli.connect({ mayStart: false });
  const client = createClient(routeTable, {
    baseUrl: target.url,
    fetch,
    headers: { 'user-agent': userAgent() },
  });
  const context = contextFor(cli, target, name);
  const key = deviceKey(locations);
  warnUnencrypted(cli, target.url);
  const request = await client.pairing.create({
    body: {
      requesterId: deviceName,
      meta: { name: deviceName, platform: process.platform },
      publicKey: key.publicKey,
    },
  });
  // The requestId is what fetches the session: it stays here.
  const { requestId, ...shown } = request;
  if (json) output.jsonLine(shown);
  else if (!output.isErrorTerminal) output.write(`${shown.code}\n`);
  showRequest(cli, target.url, shown, [
    [`this machine (${deviceName})`, formatFingerprint(key.fingerprint)],
    ['the daemon', formatFingerprint(shown.daemonFingerprint)],
  ]);
  const next = `Try again: svc devices pair --url ${target.url}`;
  const { token, ...state } = await watchPairing(client, { requestId, timeoutMs: timeout, next });
  requireApproved(state, next);
  if (token === undefined)
    throw new CliError(exitCodes.failed, 'The request was approved, but its session was already claimed.', {
      next,
    });
  saveContext(locations, context, { url: target.url, token });
  if (json) output.jsonLine({ ...state, context });
  output.note(`Paired${await asWhom(target, token)}. Use it: svc context use ${context}`);
}

function showRequest(
  { output }: Cli,
  url: string,
  { code, expiresAt }: { code: string; expiresAt: string },
  fingerprints: Fact[],
): void {
  output.note(`Requesting to pair with ${url}.\nOn a machine that is signed in there, run:\n`);
  output.note(`  ${output.paintError('bold', `svc devices approve ${code}`)}\n`);
  output.note('and compare the fingerprints:\n');
  output.errorStream.write(formatFacts(fingerprints, output.paintError, '  '));
  const left = formatLeft(expiresAt, Date.now());
  output.note(output.paintError('dim', `\nWaiting; the code expires in ${left}. Press Ctrl-C to cancel.`));
}

/** The context to save: --name, the context in use, or the host of the daemon. */
function contextFor(
  { locations }: Cli,
  { url, context, isNamed }: Target,
  given: string | undefined,
): string {
  if (!isNamed)
    throw new CliError(exitCodes.usage, 'No daemon to pair with.', {
      next: 'Example: svc devices pair --url https://svc.example.com',
    });
  const name =
    given ?? context ?? new URL(url).hostname.replace(/[^\w.-]+/g, '-').replace(/^-+|(?<!-)-+$/g, '');
  checkContextName(name);
  const known = readContexts(locations).contexts?.[name];
  if (known === undefined || known.url === url) return name;
  throw new CliError(exitCodes.invalid, `The context "${name}" already exists, for ${known.url}.`, {
    next: 'Choose another name: --name',
  });
}

/** Verifies the session and formats its user. */
async function asWhom({ url }: Target, token: string): Promise<string> {
  const headers = headersOf({ text: token, from: 'context' });
  const { user } = await createClient(routeTable, { baseUrl: url, fetch: httpFetch, headers }).auth.getMe();
  return ` as ${escapeLine(user.name)} <${escapeLine(user.email)}>, ${user.role}`;
}

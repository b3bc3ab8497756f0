import { ApiError, type Client, createClient, type FetchLike } from '../../../contract/client.ts';
import { sessionCookie } from '../../../contract/locations.ts';
import { routeTable } from '../../../contract/route-table.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import type { Connection } from '../../connection/connection.ts';
import { headersOf, isOwnDaemon } from '../../connection/credential.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { httpFetch } from '../../connection/http-fetch.ts';
import { readTextFile } from '../../input/json-file.ts';
import { readPiped, readSecret } from '../../input/read-secret.ts';
import { userAgent } from '../../program/version.ts';
import { warnUnencrypted } from '../../connection/warn-unencrypted.ts';
import { askFor, password, requireSame } from './ask-for.ts';

export interface SignupOptions {
  email?: string;
  name?: string;
  invite?: string;
  passwordStdin?: boolean;
  json?: boolean;
}
export interface LoginOptions {
  email?: string;
  passwordStdin?: boolean;
  accessKeyStdin?: boolean;
  json?: boolean;
}

/** `svc auth signup`: on the machine of the daemon, the command line stays signed in as its owner. */
export async function signUp(cli: Cli, options: SignupOptions): Promise<void> {
  const { output, locations } = cli;
  const connection = cli.connect();
  warnUnencrypted(cli, connection.target.url);
  const piped = await readPiped(options.passwordStdin);
  const { email, name, wanted, again } = await askFor(
    cli,
    { email: options.email, name: options.name, wanted: piped, again: piped },
    {
      email: { text: 'E-mail: ' },
      name: { text: 'Name: ' },
      wanted: password('Password: '),
      again: password('Repeat the password: '),
    },
    'Pass --email, --name and --password-stdin.',
  );
  requireSame(wanted, again);
  // A user who can read the setup code does not have to type it.
  const own = isOwnDaemon(cli, connection.target) ? readTextFile(locations.setupCodeFile)?.trim() : undefined;
  const inviteCode = options.invite ?? own;
  const body = { email, name, password: wanted, ...(inviteCode !== undefined && { inviteCode }) };
  const { answer, session } = await watchSession(connection, (client) => client.auth.signup({ body }));
  const isOwner = await keepOrEnd(cli, connection, session);
  if (options.json) return output.json(answer);
  output.write(`${escapeLine(answer.user.name)} <${escapeLine(answer.user.email)}>, ${answer.user.role}\n`);
  if (!isOwner) return output.note(`Account created. Signed in at ${connection.target.url}.`);
  output.note(`Account created. Sign in with a browser:\n  ${connection.target.url}`);
  output.note('Commands on this machine continue to run as its owner.');
}

/** `svc auth login`: with a password, or with the access key of local mode. */
export async function signIn(cli: Cli, options: LoginOptions): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  refuseOwner(connection);
  warnUnencrypted(cli, connection.target.url);
  const { answer, session } = await watchSession(connection, await prepareSignIn(cli, options));
  await keepOrEnd(cli, connection, session);
  if (options.json) return output.json(answer);
  const { target } = connection;
  const headers = headersOf({ text: session, from: 'login' });
  const { user } = await createClient(routeTable, {
    baseUrl: target.url,
    fetch: httpFetch,
    headers,
  }).auth.getMe();
  output.write(`${escapeLine(user.name)} <${escapeLine(user.email)}>, ${user.role}\n`);
  output.note(`Signed in at ${target.url}.`);
  if (connection.credential?.from === 'environment')
    output.note('SVC_TOKEN is set and takes precedence over this session.');
}

async function prepareSignIn(cli: Cli, options: LoginOptions): Promise<(client: Client) => Promise<unknown>> {
  if (options.accessKeyStdin) {
    const key = await readSecret(cli, 'Access key: ', 'svc auth login --access-key-stdin');
    return (client) => client.auth.verifyAccessKey({ body: { key: key.trim() } }).catch(wrongKey);
  }
  const { email, secret } = await askFor(
    cli,
    { email: options.email, secret: await readPiped(options.passwordStdin) },
    { email: { text: 'E-mail: ' }, secret: password('Password: ') },
    'Pass --email and --password-stdin.',
  );
  return (client) =>
    client.auth
      .login({ body: { email, password: secret } })
      .catch((error: unknown) => wrongPassword(client, error));
}

/** The owner's session takes precedence, so a second one would never be used. */
function refuseOwner({ credential, target }: Connection): void {
  if (credential?.from !== 'owner') return;
  throw new CliError(exitCodes.invalid, 'Commands on this machine are already signed in as its owner.', {
    next: `To use another account, create a context: svc context set NAME --url ${target.url}`,
  });
}

/** Signs in, and takes the session from the cookie that comes with the answer. */
async function watchSession<T>(
  connection: Connection,
  act: (client: Client) => Promise<T>,
): Promise<{ answer: T; session: string }> {
  let cookies = '';
  const fetch: FetchLike = async (url, init) => {
    const response = await connection.fetch(url, init);
    cookies = response.headers.get('set-cookie') ?? '';
    return response;
  };
  const headers = { 'user-agent': userAgent() };
  const client = createClient(routeTable, { baseUrl: connection.target.url, fetch, headers });
  const answer = await act(client);
  const session = new RegExp(`(?:^|, )${sessionCookie}=([\\w-]{1,200})(?=;|,|$)`).exec(cookies)?.[1];
  if (session !== undefined) return { answer, session };
  throw new CliError(exitCodes.failed, `The server at ${connection.target.url} returned no session.`);
}

function wrongKey(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 401) throw error;
  const next = 'Create a new one on the machine of the daemon: svc auth access-key';
  throw new CliError(exitCodes.notAllowed, error.message, { next, cause: error });
}

/** A wrong password needs another hint than other 401 responses. */
async function wrongPassword(client: Client, error: unknown): Promise<never> {
  if (!(error instanceof ApiError) || error.status !== 401) throw error;
  const { authMode } = await client.auth.getMe().catch((refusal: unknown) => {
    if (refusal instanceof ApiError && refusal.status === 401) return refusal.body as { authMode?: string };
    throw refusal;
  });
  throw new CliError(exitCodes.notAllowed, error.message, {
    next: `Try again${authMode === 'local' ? ', or use the access key: svc auth login --access-key-stdin' : '.'}`,
    cause: error,
  });
}

/** Stores a session for later commands, or revokes it at once if no later command would use it. Returns true if it was revoked. */
async function keepOrEnd(cli: Cli, { target, credential }: Connection, session: string): Promise<boolean> {
  const isOwner = credential?.from === 'owner';
  if (isOwner) {
    const headers = headersOf({ text: session, from: 'login' });
    await createClient(routeTable, { baseUrl: target.url, fetch: httpFetch, headers }).auth.logout();
  } else {
    const { keepSession } = await import('../../connection/context-store.ts');
    keepSession(cli.locations, target, session);
  }
  return isOwner;
}

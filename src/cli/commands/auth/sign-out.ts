import { ApiError } from '../../../contract/client.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { type Credential, isApiToken } from '../../connection/credential.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** `svc auth logout`: ends the session at the daemon and removes it here. */
export async function signOut(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output, locations } = cli;
  const { client, target, credential } = cli.connect();
  if (!credential) return output.note(`Not signed in at ${target.url}.`);
  requireOwnSession(credential, target.context);
  const answer = await client.auth.logout().catch((error: unknown) => {
    // The session has already expired; only the local copy is left.
    if (error instanceof ApiError && error.status === 401) return { message: 'Signed out' };
    throw error;
  });
  const { keepSession } = await import('../../connection/context-store.ts');
  keepSession(locations, { url: target.url, ...(credential.from === 'context' && target) }, undefined);
  if (json) output.json(answer);
  else output.note(`Signed out at ${target.url}.`);
}

function requireOwnSession({ text, from }: Credential, context: string | undefined): void {
  if (from === 'environment')
    throw new CliError(exitCodes.invalid, 'SVC_TOKEN is set; there is no session to sign out of.', {
      next: 'Unset it: unset SVC_TOKEN',
    });
  if (from === 'owner')
    throw new CliError(exitCodes.invalid, 'Commands on this machine are always signed in as its owner.', {
      next: 'To end a browser session: svc auth sessions revoke ID',
    });
  if (isApiToken(text))
    throw new CliError(exitCodes.invalid, 'The context holds an API token, not a session.', {
      next: `Remove it: svc context rm ${context ?? 'NAME'}`,
    });
}

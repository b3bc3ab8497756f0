import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { isApiToken } from '../../connection/credential.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** `svc auth whoami`. */
export async function showCaller(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  const { credential } = connection;
  if (credential && isApiToken(credential.text))
    throw new CliError(exitCodes.notAllowed, 'You are using an API token; whoami needs a session.', {
      next:
        credential.from === 'environment'
          ? 'Try: env -u SVC_TOKEN svc auth whoami'
          : 'Sign in: svc auth login',
    });
  const answer = await connection.client.auth.getMe();
  if (json) return output.json(answer);
  const { name, email, role } = answer.user;
  output.write(`${escapeLine(name)} <${escapeLine(email)}>, ${role}, at ${connection.target.url}\n`);
}

import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { readPiped } from '../../input/read-secret.ts';
import { askFor, password, requireSame } from './ask-for.ts';

interface Options {
  passwordStdin?: boolean;
  json?: boolean;
}

/** `svc auth password`: signs out every other session of the account. */
export async function changePassword(cli: Cli, { passwordStdin, json }: Options): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { current, wanted, again } = await askFor(
    cli,
    readBoth(await readPiped(passwordStdin)),
    {
      current: { ...password('Current password (empty if there is none): '), mayBeEmpty: true },
      wanted: password('New password: '),
      again: password('Repeat the new password: '),
    },
    'Pipe both in: svc auth password --password-stdin',
  );
  requireSame(wanted, again);
  const answer = await client.auth.updatePassword({
    body: { newPassword: wanted, ...(current !== '' && { currentPassword: current }) },
  });
  if (json) output.json(answer);
  else output.note('Password changed; your other sessions were signed out.');
}

/** A pipe has the current password on its first line and the new one on its second. */
function readBoth(piped: string | undefined) {
  if (piped === undefined) return { current: undefined, wanted: undefined, again: undefined };
  const [current = '', wanted, ...more] = piped.split(/\r?\n/);
  if (wanted && more.length === 0) return { current, wanted, again: wanted };
  throw new CliError(exitCodes.usage, 'stdin needs two lines: the current password and the new one.', {
    next: 'Leave the first line empty if the account has no password.',
  });
}

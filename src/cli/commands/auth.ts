import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { escapeLine } from '../escape-text.ts';
import { withExamples } from '../program.ts';

interface Options {
  json?: boolean;
}

/** `svc auth`. */
export function fillAuth(command: Command, cli: Cli): void {
  withExamples(command, ['svc auth whoami', 'svc auth access-key']);
  withExamples(command.command('whoami').description('say who is signed in'), ['svc auth whoami'])
    .option('--json', 'print the answer of the daemon')
    .action((options: Options) => showCaller(cli, options));
  withExamples(
    command.command('access-key').description('set a new access key for browsers and print it, once'),
    ['svc auth access-key', 'svc auth access-key --remove'],
  )
    .option('--remove', 'need none; only where nobody else reaches the daemon')
    .option('--json', 'print the answer of the daemon, with the key')
    .action((options: Options & { remove?: boolean }) => setAccessKey(cli, options));
}

async function showCaller(cli: Cli, { json }: Options): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  const answer = await connection.client.auth.me();
  if (json) return output.json(answer);
  const { name, email, role } = answer.user;
  output.write(`${escapeLine(name)} <${escapeLine(email)}>, ${role}, at ${connection.target.url}\n`);
}

async function setAccessKey(
  cli: Cli,
  { remove = false, json }: Options & { remove?: boolean },
): Promise<void> {
  const { output } = cli;
  const key = remove ? null : randomBytes(18).toString('base64url');
  const answer = await cli.connect().client.auth.setAccessKey({ body: { key } });
  if (json) return output.json({ ...answer, ...(key !== null && { accessKey: key }) });
  if (key === null)
    return output.note('No access key is needed any more. Set one again: svc auth access-key');
  output.write(`${key}\n`);
  output.note('Keep it now, it is shown this once. The one before it is no longer good.');
}

import { type Command, Option } from 'commander';
import type { LoginOptions, SignupOptions } from '../auth/sign-in.ts';
import type { InviteOptions } from '../auth/invites.ts';
import type { SetOptions } from '../auth/users.ts';
import type { Cli } from '../cli.ts';
import { wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';

interface Options {
  json?: boolean;
}
interface ListOptions extends Options {
  quiet?: boolean;
}

const answers = ['--json', 'print the answer of the daemon'] as const;
const idsOnly = ['-q, --quiet', 'print the ids only'] as const;
const roleOption = (text: string) => new Option('--role <role>', text).choices(['user', 'admin']);

/** `svc auth`. */
export function fillAuth(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc auth whoami',
    'svc auth login --url https://svc.example.com --email ada@example.com',
    'svc auth invite --email ada@example.com',
  ]);
  fillSignIn(command, cli);
  fillKeys(command, cli);
  fillInvites(command, cli);
  fillSessions(command, cli);
  fillUsers(command, cli);
}

function fillSignIn(command: Command, cli: Cli): void {
  withExamples(command.command('whoami').description('say who is signed in'), [
    'svc auth whoami',
    'svc auth whoami --context build',
    'svc auth whoami --json',
  ])
    .option(...answers)
    .action(async (options: Options) => (await import('../auth/caller.ts')).showCaller(cli, options));
  withExamples(command.command('signup').description('make an account; what is not given is asked for'), [
    'svc auth signup --email ada@example.com --name Ada',
    'svc auth signup --url https://svc.example.com --invite CODE',
    'svc auth signup --email ada@example.com --name Ada --password-stdin < password',
  ])
    .option('--email <address>', 'the e-mail address')
    .option('--name <name>', 'the name')
    .option('--invite <code>', 'an invite or the set-up code')
    .option('--password-stdin', 'read the password from stdin')
    .option(...answers)
    .action(async (options: SignupOptions) => (await import('../auth/sign-in.ts')).signUp(cli, options));
  withExamples(command.command('login').description('sign in; what is not given is asked for'), [
    'svc auth login --url https://svc.example.com --email ada@example.com',
    'svc auth login --context build --email ada@example.com --password-stdin < password',
    'svc auth login --url http://box:4310 --access-key-stdin < key',
  ])
    .option('--email <address>', 'the e-mail address')
    .option('--password-stdin', 'read the password from stdin')
    .option('--access-key-stdin', 'sign in with the access key of local mode, read from stdin')
    .option(...answers)
    .action(async (options: LoginOptions) => (await import('../auth/sign-in.ts')).signIn(cli, options));
  withExamples(command.command('logout').description('end the session and forget it here'), [
    'svc auth logout',
    'svc auth logout --context build',
    'svc auth logout --url https://svc.example.com',
  ])
    .option(...answers)
    .action(async (options: Options) => (await import('../auth/sign-out.ts')).signOut(cli, options));
}

function fillKeys(command: Command, cli: Cli): void {
  withExamples(command.command('password').description('change your password; your other sessions end'), [
    'svc auth password',
    'svc auth password --context build',
    `printf '%s\\n%s\\n' "$OLD" "$NEW" | svc auth password --password-stdin`,
  ])
    .option('--password-stdin', 'read two lines from stdin: the current password and the new one')
    .option(...answers)
    .action(async (options: Options & { passwordStdin?: boolean }) =>
      (await import('../auth/change-password.ts')).changePassword(cli, options),
    );
  withExamples(
    command.command('access-key').description('set a new access key for browsers and print it, once'),
    ['svc auth access-key', 'svc auth access-key --remove', 'svc auth access-key --json'],
  )
    .option('--remove', 'need none; only where nobody else reaches the daemon')
    .option('--json', 'print the answer of the daemon, with the key')
    .action(async (options: Options & { remove?: boolean }) =>
      (await import('../auth/access-key.ts')).setAccessKey(cli, options),
    );
  withExamples(command.command('link').description('print a link that signs a browser in, once'), [
    'svc auth link',
    'svc auth link --context build',
    'xdg-open "$(svc auth link)"',
  ])
    .option(...answers)
    .action(async (options: Options) =>
      (await import('../auth/sign-in-link.ts')).showSignInLink(cli, options),
    );
}

function fillInvites(command: Command, cli: Cli): void {
  withExamples(
    command.command('invite').description('invite somebody to make an account, and print the code'),
    ['svc auth invite', 'svc auth invite --email ada@example.com', 'svc auth invite --role admin --days 1'],
  )
    .addOption(roleOption('what the account may do; user unless given'))
    .option('--email <address>', 'only this address may use it')
    .option('--days <n>', 'how long it is good; 7 unless given', wholeNumber)
    .option('--json', 'print the answer of the daemon, with the code')
    .action(async (options: InviteOptions) => (await import('../auth/invites.ts')).invite(cli, options));
  const invites = withExamples(command.command('invites').description('list invites and take them back'), [
    'svc auth invites ls',
    'svc auth invites ls --json',
    'svc auth invites rm invite_0199',
  ]).helpCommand(false);
  withExamples(invites.command('ls').description('list the invites, newest first'), [
    'svc auth invites ls',
    'svc auth invites ls --json',
    'svc auth invites ls --quiet',
  ])
    .option(...answers)
    .option(...idsOnly)
    .action(async (options: ListOptions) => (await import('../auth/invites.ts')).listInvites(cli, options));
  withExamples(invites.command('rm').description('take invites back'), [
    'svc auth invites rm 0199',
    'svc auth invites rm 0199 019a',
    'svc auth invites rm invite_0199 --json',
  ])
    .argument('<id...>', 'ids or the beginnings of them')
    .option('--json', 'print the answers of the daemon')
    .action(async (ids: string[], options: Options) =>
      (await import('../auth/invites.ts')).removeInvites(cli, ids, options),
    );
}

function fillSessions(command: Command, cli: Cli): void {
  const sessions = withExamples(command.command('sessions').description('list your sessions and end them'), [
    'svc auth sessions ls',
    'svc auth sessions revoke 0199',
    'svc auth sessions ls --json',
  ]).helpCommand(false);
  withExamples(sessions.command('ls').description('list your sessions, newest first; * is this one'), [
    'svc auth sessions ls',
    'svc auth sessions ls --json',
    'svc auth sessions ls --quiet',
  ])
    .option(...answers)
    .option(...idsOnly)
    .action(async (options: ListOptions) => (await import('../auth/sessions.ts')).listSessions(cli, options));
  withExamples(sessions.command('revoke').description('end sessions at once'), [
    'svc auth sessions revoke 0199',
    'svc auth sessions revoke 0199 019a',
    'svc auth sessions revoke sess_0199 --json',
  ])
    .argument('<id...>', 'ids or the beginnings of them')
    .option('--json', 'print the answers of the daemon')
    .action(async (ids: string[], options: Options) =>
      (await import('../auth/sessions.ts')).revokeSessions(cli, ids, options),
    );
}

function fillUsers(command: Command, cli: Cli): void {
  const users = withExamples(command.command('users').description('list the accounts and change them'), [
    'svc auth users ls',
    'svc auth users set ada@example.com --role admin',
    'svc auth users set ada@example.com --disable',
  ]).helpCommand(false);
  withExamples(users.command('ls').description('list the accounts'), [
    'svc auth users ls',
    'svc auth users ls --json',
    'svc auth users ls --quiet',
  ])
    .option(...answers)
    .option(...idsOnly)
    .action(async (options: ListOptions) => (await import('../auth/users.ts')).listUsers(cli, options));
  withExamples(users.command('set').description('change the role of an account, or shut it out'), [
    'svc auth users set ada@example.com --role admin',
    'svc auth users set ada@example.com --disable',
    'svc auth users set user_0199 --enable',
  ])
    .argument('<id>', 'its e-mail address, its id or the beginning of it')
    .addOption(roleOption('what it may do'))
    .option('--disable', 'shut it out: its sessions end, its tokens stop')
    .option('--enable', 'let it in again')
    .option(...answers)
    .action(async (id: string, options: SetOptions) =>
      (await import('../auth/users.ts')).setUser(cli, id, options),
    );
}

import { choiceTable } from '../../contract/choice-table.ts';
import { id } from '../ids/id-type.ts';
import { required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json, jsonEach, quiet } from '../program/shared-options.ts';
import { choice, text, wholeNumber } from '../program/value-type.ts';

const passwordFromStdin = flag('--password-stdin', 'Read the password from stdin');
const email = option('--email <address>', 'E-mail address', text);

const whoami = defineCommand({
  name: 'whoami',
  summary: 'Show who is signed in',
  examples: ['svc auth whoami', 'svc auth whoami --context build', 'svc auth whoami --json'],
  options: [json],
  run: async ({ cli, options }) => (await import('./auth/caller.ts')).showCaller(cli, options),
});

const signup = defineCommand({
  name: 'signup',
  summary: 'Create an account; prompts for missing values',
  examples: [
    'svc auth signup --email ada@example.com --name Ada',
    'svc auth signup --url https://svc.example.com --invite CODE',
    'svc auth signup --email ada@example.com --name Ada --password-stdin < password',
  ],
  options: [
    email,
    option('--name <name>', 'Name', text),
    option('--invite <code>', 'Invite or setup code', text),
    passwordFromStdin,
    json,
  ],
  run: async ({ cli, options }) => (await import('./auth/sign-in.ts')).signUp(cli, options),
});

const login = defineCommand({
  name: 'login',
  summary: 'Sign in; prompts for missing values',
  examples: [
    'svc auth login --url https://svc.example.com --email ada@example.com',
    'svc auth login --context build --email ada@example.com --password-stdin < password',
    'svc auth login --url http://box:4310 --access-key-stdin < key',
  ],
  options: [
    email,
    passwordFromStdin,
    flag('--access-key-stdin', 'Sign in with the access key of local mode, read from stdin'),
    json,
  ],
  run: async ({ cli, options }) => (await import('./auth/sign-in.ts')).signIn(cli, options),
});

const logout = defineCommand({
  name: 'logout',
  summary: 'Sign out and remove the session from this machine',
  examples: [
    'svc auth logout',
    'svc auth logout --context build',
    'svc auth logout --url https://svc.example.com',
  ],
  options: [json],
  run: async ({ cli, options }) => (await import('./auth/sign-out.ts')).signOut(cli, options),
});

const password = defineCommand({
  name: 'password',
  summary: 'Change your password and end your other sessions',
  examples: [
    'svc auth password',
    'svc auth password --context build',
    `printf '%s\\n%s\\n' "$OLD" "$NEW" | svc auth password --password-stdin`,
  ],
  options: [
    flag('--password-stdin', 'Read two lines from stdin: the current password and the new one'),
    json,
  ],
  run: async ({ cli, options }) => (await import('./auth/change-password.ts')).changePassword(cli, options),
});

const accessKey = defineCommand({
  name: 'access-key',
  summary: 'Set a new access key for browsers and print it once',
  examples: ['svc auth access-key', 'svc auth access-key --remove', 'svc auth access-key --json'],
  options: [
    flag('--remove', 'Require no access key; only where no one else can reach the daemon'),
    flag('--json', "Print the daemon's response as JSON, with the key"),
  ],
  run: async ({ cli, options }) => (await import('./auth/access-key.ts')).setAccessKey(cli, options),
});

const link = defineCommand({
  name: 'link',
  summary: 'Print a one-time sign-in link for a browser',
  examples: ['svc auth link', 'svc auth link --context build', 'xdg-open "$(svc auth link)"'],
  options: [json],
  run: async ({ cli, options }) => (await import('./auth/sign-in-link.ts')).showSignInLink(cli, options),
});

const invite = defineCommand({
  name: 'invite',
  summary: 'Create an invite and print its code',
  examples: [
    'svc auth invite',
    'svc auth invite --email ada@example.com',
    'svc auth invite --role admin --days 1',
  ],
  options: [
    option('--role <role>', 'Role of the account (default: user)', choice(choiceTable.invites.create.role)),
    option('--email <address>', 'Restrict the invite to this address', text),
    option('--days <n>', 'Days until it expires (default: 7)', wholeNumber),
    flag('--json', "Print the daemon's response as JSON, with the code"),
  ],
  run: async ({ cli, options }) => (await import('./auth/invites.ts')).invite(cli, options),
});

const invites = defineNoun({
  name: 'invites',
  summary: 'List and revoke invites',
  examples: ['svc auth invites ls', 'svc auth invites ls --json', 'svc auth invites rm invite_0199'],
  commands: [
    defineCommand({
      name: 'ls',
      summary: 'List invites, newest first',
      examples: ['svc auth invites ls', 'svc auth invites ls --json', 'svc auth invites ls --quiet'],
      options: [json, quiet],
      run: async ({ cli, options }) => (await import('./auth/invites.ts')).listInvites(cli, options),
    }),
    defineCommand({
      name: 'rm',
      summary: 'Revoke invites',
      examples: [
        'svc auth invites rm 0199',
        'svc auth invites rm 0199 019a',
        'svc auth invites rm invite_0199 --json',
      ],
      args: { id: several(id('invite')) },
      options: [jsonEach],
      run: async ({ cli, args, options }) =>
        (await import('./auth/invites.ts')).removeInvites(cli, args.id, options),
    }),
  ],
});

const sessions = defineNoun({
  name: 'sessions',
  summary: 'List and revoke your sessions',
  examples: ['svc auth sessions ls', 'svc auth sessions revoke 0199', 'svc auth sessions ls --json'],
  commands: [
    defineCommand({
      name: 'ls',
      summary: 'List your sessions, newest first; * marks this one',
      examples: ['svc auth sessions ls', 'svc auth sessions ls --json', 'svc auth sessions ls --quiet'],
      options: [json, quiet],
      run: async ({ cli, options }) => (await import('./auth/sessions.ts')).listSessions(cli, options),
    }),
    defineCommand({
      name: 'revoke',
      summary: 'Revoke sessions',
      examples: [
        'svc auth sessions revoke 0199',
        'svc auth sessions revoke 0199 019a',
        'svc auth sessions revoke sess_0199 --json',
      ],
      args: { id: several(id('session')) },
      options: [jsonEach],
      run: async ({ cli, args, options }) =>
        (await import('./auth/sessions.ts')).revokeSessions(cli, args.id, options),
    }),
  ],
});

const users = defineNoun({
  name: 'users',
  summary: 'List and change accounts',
  examples: [
    'svc auth users ls',
    'svc auth users set ada@example.com --role admin',
    'svc auth users set ada@example.com --disable',
  ],
  commands: [
    defineCommand({
      name: 'ls',
      summary: 'List accounts',
      examples: ['svc auth users ls', 'svc auth users ls --json', 'svc auth users ls --quiet'],
      options: [json, quiet],
      run: async ({ cli, options }) => (await import('./auth/users.ts')).listUsers(cli, options),
    }),
    defineCommand({
      name: 'set',
      summary: 'Change the role of an account, or disable it',
      examples: [
        'svc auth users set ada@example.com --role admin',
        'svc auth users set ada@example.com --disable',
        'svc auth users set user_0199 --enable',
      ],
      args: { id: required(id('user'), 'E-mail address, or ID of the user or its beginning') },
      options: [
        option('--role <role>', 'New role', choice(choiceTable.users.update.role)),
        flag('--disable', 'Disable the account: its sessions and tokens stop working'),
        flag('--enable', 'Enable the account again'),
        json,
      ],
      run: async ({ cli, args, options }) => (await import('./auth/users.ts')).setUser(cli, args.id, options),
    }),
  ],
});

export const auth = defineNoun({
  name: 'auth',
  summary: 'Sign in; manage accounts, invites and sessions',
  examples: [
    'svc auth whoami',
    'svc auth login --url https://svc.example.com --email ada@example.com',
    'svc auth invite --email ada@example.com',
  ],
  commands: [whoami, signup, login, logout, password, accessKey, link, invite, invites, sessions, users],
});

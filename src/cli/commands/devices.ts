import { choiceTable } from '../../contract/choice-table.ts';
import { id } from '../ids/id-type.ts';
import { required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json, jsonEach, quiet } from '../program/shared-options.ts';
import { choice, duration, text } from '../program/value-type.ts';
import { notifications } from './devices/notifications.ts';

const deviceId = id('device');
const codeHelp = 'Code that the device shows, with or without dashes';
const timeout = option('--timeout <duration>', 'Stop waiting after 30s, 5m … (exit code 8)', duration);
const deviceName = option('--name <name>', 'Name of the device', text);
const role = option(
  '--role <role>',
  'Maximum role of the device (default: your own)',
  choice(choiceTable.pairing.approve.role),
);

const limited = flag('--limited', 'Let it only look, decide on approvals and cancel tasks');

const identity = defineCommand({
  name: 'identity',
  summary: 'Show, back up or restore an identity',
  examples: [
    'svc devices identity',
    'svc devices identity --export --file identity.txt',
    'svc devices identity --restore --file identity.txt',
  ],
  options: [
    flag('--export', 'Print the 24 words of the identity of this machine'),
    flag('--restore', 'Restore the identity of this machine from its words, prompted for or from stdin'),
    option('--file <file>', 'With --export: write to a new file; with --restore: read from it', text),
    flag('--force', 'With --restore: replace the existing identity'),
    json,
  ],
  run: async ({ cli, options }) => (await import('./devices/identity.ts')).identity(cli, options),
});

const pair = defineCommand({
  name: 'pair',
  summary: 'Pair this machine with the daemon at --url',
  examples: [
    'svc devices pair --url https://svc.example.com',
    'svc devices pair --url https://svc.example.com --name build',
    'svc devices pair --context build --device-name laptop --timeout 2m',
  ],
  options: [
    option('--name <context>', 'Name of the context to create (default: the host of the daemon)', text),
    option('--device-name <name>', 'Name of this machine there (default: its host name)', text),
    timeout,
    flag('--json', 'Print events as JSON lines, without secrets'),
  ],
  run: async ({ cli, options }) => (await import('./devices/pair.ts')).pair(cli, options),
});

const qr = defineCommand({
  name: 'qr',
  summary: 'Show a QR code that pairs a phone, and approve it',
  examples: [
    'svc devices qr --browser',
    'svc devices qr --role user --name phone',
    'svc devices qr --yes --timeout 2m',
  ],
  options: [
    flag('--browser', 'Link for the browser of the phone, which may then look, decide and cancel'),
    role,
    deviceName,
    flag('--yes', 'Approve any device that scans it, without confirmation'),
    timeout,
    flag('--json', 'Print the link, then the response to the approval, as JSON lines'),
  ],
  run: async ({ cli, options }) => (await import('./devices/show-qr.ts')).showQr(cli, options),
});

const pending = defineCommand({
  name: 'pending',
  summary: 'List pending pairing requests',
  examples: ['svc devices pending', 'svc devices pending --json'],
  options: [json],
  run: async ({ cli, options }) => (await import('./devices/decide-pairing.ts')).listPending(cli, options),
});

const approve = defineCommand({
  name: 'approve',
  summary: 'Approve a pairing request',
  examples: [
    'svc devices approve K7QX-9M2P-TR4W',
    'svc devices approve K7QX-9M2P-TR4W --role user --name laptop',
    'svc devices approve k7qx 9m2p tr4w --limited --yes',
  ],
  args: { code: several(text, codeHelp) },
  options: [role, limited, deviceName, flag('--yes', 'Skip the confirmation prompt'), json],
  run: async ({ cli, args, options }) =>
    (await import('./devices/decide-pairing.ts')).approveDevice(cli, args.code, options),
});

const reject = defineCommand({
  name: 'reject',
  summary: 'Reject a pairing request',
  examples: [
    'svc devices reject K7QX-9M2P-TR4W',
    'svc devices reject K7QX-9M2P-TR4W --reason "not mine"',
    'svc devices reject K7QX-9M2P-TR4W --json',
  ],
  args: { code: several(text, codeHelp) },
  options: [option('--reason <text>', 'Reason that the device shows', text), json],
  run: async ({ cli, args, options }) =>
    (await import('./devices/decide-pairing.ts')).rejectDevice(cli, args.code, options),
});

const ls = defineCommand({
  name: 'ls',
  summary: 'List paired devices, newest first; * marks this one',
  examples: ['svc devices ls', 'svc devices ls --json', 'svc devices ls --quiet'],
  options: [json, quiet],
  run: async ({ cli, options }) => (await import('./devices/paired-devices.ts')).listDevices(cli, options),
});

const rename = defineCommand({
  name: 'rename',
  summary: 'Rename a device',
  examples: [
    'svc devices rename 0199 laptop',
    'svc devices rename dev_0199 "Phone of Ada"',
    'svc devices rename 0199 laptop --json',
  ],
  args: { id: required(deviceId), name: required(text, 'New name') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./devices/paired-devices.ts')).renameDevice(cli, args.id, args.name, options),
});

const revoke = defineCommand({
  name: 'revoke',
  summary: 'Revoke devices permanently',
  examples: ['svc devices revoke 0199', 'svc devices revoke 0199 019a', 'svc devices revoke dev_0199 --json'],
  args: { id: several(deviceId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./devices/paired-devices.ts')).revokeDevices(cli, args.id, options),
});

export const devices = defineNoun({
  name: 'devices',
  summary: 'Pair devices and back up the identity',
  examples: [
    'svc devices pair --url https://svc.example.com',
    'svc devices approve K7QX-9M2P-TR4W',
    'svc devices identity --export --file identity.txt',
  ],
  commands: [identity, pair, qr, pending, approve, reject, ls, rename, revoke, notifications],
});

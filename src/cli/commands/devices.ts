import { type Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import type { ApproveOptions } from '../devices/decide-pairing.ts';
import type { IdentityOptions } from '../devices/identity.ts';
import type { PairOptions } from '../devices/pair.ts';
import { duration } from '../option-parsers.ts';
import { withExamples } from '../program.ts';

interface Options {
  json?: boolean;
}
interface ListOptions extends Options {
  quiet?: boolean;
}

const answers = ['--json', 'print the answer of the daemon'] as const;
const idsOnly = ['-q, --quiet', 'print the ids only'] as const;
const codeText = 'the code that the device shows, with or without dashes';

/** `svc devices`. */
export function fillDevices(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc devices pair --url https://svc.example.com',
    'svc devices approve K7QX-9M2P-TR4W',
    'svc devices identity --export --file identity.txt',
  ]);
  fillIdentity(command, cli);
  fillAsking(command, cli);
  fillDeciding(command, cli);
  fillDevicesOf(command, cli);
}

function fillIdentity(command: Command, cli: Cli): void {
  withExamples(
    command
      .command('identity')
      .description('show the identity of the daemon, or back up the one of this machine'),
    [
      'svc devices identity',
      'svc devices identity --export --file identity.txt',
      'svc devices identity --restore --file identity.txt',
    ],
  )
    .option('--export', 'print the 24 words that the identity of this machine comes to')
    .option('--restore', 'read them from the terminal or stdin, and write the identity of this machine')
    .option('--file <file>', 'with --export: write them to a new file; with --restore: read them from it')
    .option('--force', 'with --restore: give up the identity that is there')
    .option(...answers)
    .action(async (options: IdentityOptions) =>
      (await import('../devices/identity.ts')).identity(cli, options),
    );
}

function fillAsking(command: Command, cli: Cli): void {
  // --url is an option of every command, so it is read there.
  withExamples(
    command.command('pair').description('ask the daemon at --url to let this machine in, and wait'),
    [
      'svc devices pair --url https://svc.example.com',
      'svc devices pair --url https://svc.example.com --name build',
      'svc devices pair --context build --device-name laptop --timeout 2m',
    ],
  )
    .option('--name <context>', 'what to call the daemon here; its host unless given')
    .option('--device-name <name>', 'what this machine is called there; its host name unless given')
    .option('--timeout <duration>', 'stop waiting after 30s, 5m … (exit code 8)', duration)
    .option('--json', 'print what happens as JSON lines, without the secrets')
    .action(async (options: PairOptions) => (await import('../devices/pair.ts')).pair(cli, options));
  withExamples(command.command('qr').description('show a QR code that lets a phone in, and approve it'), [
    'svc devices qr',
    'svc devices qr --role user --name phone',
    'svc devices qr --yes --timeout 2m',
  ])
    .addOption(roleOption())
    .option('--name <name>', 'what to call the device')
    .option('--yes', 'approve whoever scans it, without a question')
    .option('--timeout <duration>', 'stop waiting after 30s, 5m … (exit code 8)', duration)
    .option('--json', 'print the link of the code, then the answer to the approval, as JSON lines')
    .action(async (options: ApproveOptions & { timeout?: number }) =>
      (await import('../devices/show-qr.ts')).showQr(cli, options),
    );
}

function fillDeciding(command: Command, cli: Cli): void {
  const deciding = () => import('../devices/decide-pairing.ts');
  withExamples(command.command('pending').description('list the devices that wait to be let in'), [
    'svc devices pending',
    'svc devices pending --json',
  ])
    .option(...answers)
    .action(async (options: Options) => (await deciding()).listPending(cli, options));
  withExamples(command.command('approve').description('show the device that asks, and let it in'), [
    'svc devices approve K7QX-9M2P-TR4W',
    'svc devices approve K7QX-9M2P-TR4W --role user --name laptop',
    'svc devices approve k7qx 9m2p tr4w --yes',
  ])
    .argument('<code...>', codeText)
    .addOption(roleOption())
    .option('--name <name>', 'what to call the device')
    .option('--yes', 'approve without a question')
    .option(...answers)
    .action(async (code: string[], options: ApproveOptions) =>
      (await deciding()).approveDevice(cli, code, options),
    );
  withExamples(command.command('reject').description('turn a device away'), [
    'svc devices reject K7QX-9M2P-TR4W',
    'svc devices reject K7QX-9M2P-TR4W --reason "not mine"',
    'svc devices reject K7QX-9M2P-TR4W --json',
  ])
    .argument('<code...>', codeText)
    .option('--reason <text>', 'what the device is told')
    .option(...answers)
    .action(async (code: string[], options: Options & { reason?: string }) =>
      (await deciding()).rejectDevice(cli, code, options),
    );
}

function fillDevicesOf(command: Command, cli: Cli): void {
  const paired = () => import('../devices/paired-devices.ts');
  withExamples(command.command('ls').description('list the paired devices, newest first; * is this one'), [
    'svc devices ls',
    'svc devices ls --json',
    'svc devices ls --quiet',
  ])
    .option(...answers)
    .option(...idsOnly)
    .action(async (options: ListOptions) => (await paired()).listDevices(cli, options));
  withExamples(command.command('rename').description('call a device something else'), [
    'svc devices rename 0199 laptop',
    'svc devices rename dev_0199 "Phone of Ada"',
    'svc devices rename 0199 laptop --json',
  ])
    .argument('<id>', 'its id or the beginning of it')
    .argument('<name>', 'its name from now on')
    .option(...answers)
    .action(async (id: string, name: string, options: Options) =>
      (await paired()).renameDevice(cli, id, name, options),
    );
  withExamples(command.command('revoke').description('sign devices out at once and for good'), [
    'svc devices revoke 0199',
    'svc devices revoke 0199 019a',
    'svc devices revoke dev_0199 --json',
  ])
    .argument('<id...>', 'ids or the beginnings of them')
    .option('--json', 'print the answers of the daemon')
    .action(async (ids: string[], options: Options) => (await paired()).revokeDevices(cli, ids, options));
}

const roleOption = () =>
  new Option('--role <role>', 'the most that the device may do; your own unless given').choices([
    'user',
    'admin',
  ]);

import { optional } from '../program/arguments.ts';
import { defineCommand } from '../program/define-command.ts';
import { flag } from '../program/options.ts';
import { text } from '../program/value-type.ts';

export const backup = defineCommand({
  name: 'backup',
  summary: 'Write a backup of the daemon to a file and check it',
  examples: [
    'svc backup',
    'svc backup --identity /mnt/usb/svc.tar.gz',
    'svc --context work backup work.tar.gz',
  ],
  args: { file: optional(text, 'File to write; svc-backup-<time>.tar.gz unless given') },
  options: [
    flag('--identity', 'Include the identity, which decrypts the secrets in the backup'),
    flag('--force', 'Replace the file if it exists'),
    flag('--json', 'Print what was written as JSON'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./backup/make-backup.ts')).makeBackup(cli, args.file, options),
});

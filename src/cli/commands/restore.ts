import { required } from '../program/arguments.ts';
import { defineCommand } from '../program/define-command.ts';
import { flag } from '../program/options.ts';
import { text } from '../program/value-type.ts';

export const restore = defineCommand({
  name: 'restore',
  summary: 'Restore a backup on this machine; the daemon must be stopped',
  examples: ['svc restore svc-backup.tar.gz', 'svc restore --paused svc-backup.tar.gz'],
  args: { file: required(text, 'Backup to restore') },
  options: [
    flag('--paused', 'Pause the queue, so that the tasks of the backup wait'),
    flag('--json', 'Print what was restored as JSON'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./backup/restore-backup.ts')).restoreBackup(cli, args.file, options),
});

import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { text } from '../program/value-type.ts';

const copy = defineCommand({
  name: 'copy',
  summary: 'Copy the database to PostgreSQL or SQLite; daemons stopped',
  examples: [
    'DATABASE_URL=postgres://svc@db.example.org/svc svc storage copy --to postgres',
    'svc storage copy --to postgres://svc@localhost/svc',
    'svc storage copy --to sqlite',
  ],
  options: [
    option(
      '--to <database>',
      'postgres (at DATABASE_URL), a URL of PostgreSQL, or sqlite (in the data directory)',
      text,
    ),
    flag('--json', 'Print what was copied as JSON'),
  ],
  run: async ({ cli, options }) => (await import('./storage/copy-storage.ts')).copyStorage(cli, options),
});

const reopen = defineCommand({
  name: 'reopen',
  summary: 'Use a database again whose data was copied elsewhere',
  examples: ['svc storage reopen', 'SVC_MODE=pro svc storage reopen'],
  options: [flag('--json', 'Print as JSON whether there was a mark')],
  run: async ({ cli, options }) => (await import('./storage/reopen-storage.ts')).reopenStorage(cli, options),
});

export const storage = defineNoun({
  name: 'storage',
  summary: 'Move the database between SQLite and PostgreSQL',
  examples: ['svc storage copy --to postgres', 'svc storage copy --to sqlite'],
  commands: [copy, reopen],
});

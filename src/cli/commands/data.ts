import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json } from '../program/shared-options.ts';
import { text } from '../program/value-type.ts';

const usage = defineCommand({
  name: 'usage',
  summary: 'Show what takes disk space and how long it is kept',
  examples: ['svc data usage', 'svc data usage --json'],
  options: [json],
  run: async ({ cli, options }) => (await import('./data/show-usage.ts')).showUsage(cli, options),
});

const prune = defineCommand({
  name: 'prune',
  summary: 'Remove what is past its retention now',
  examples: ['svc data prune --dry-run', 'svc data prune', 'svc data prune --vacuum'],
  options: [
    flag('--dry-run', 'Only count what would be removed'),
    flag('--vacuum', 'Also rewrite the database file; writes wait meanwhile'),
    json,
  ],
  run: async ({ cli, options }) => (await import('./data/prune-data.ts')).pruneData(cli, options),
});

const archive = defineCommand({
  name: 'archive',
  summary: 'Move old audit entries to an archive file',
  examples: ['svc data archive', 'svc data archive --before 2026-01-01'],
  options: [
    option('--before <date>', 'Entries before YYYY-MM-DD or ISO 8601, instead of 90 days ago', text),
    json,
  ],
  run: async ({ cli, options }) => (await import('./data/archive-audit.ts')).archiveAudit(cli, options),
});

export const data = defineNoun({
  name: 'data',
  summary: 'Show and reduce the stored data',
  examples: ['svc data usage', 'svc data prune --dry-run', 'svc data archive'],
  commands: [usage, prune, archive],
});

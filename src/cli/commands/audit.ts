import { id } from '../ids/id-type.ts';
import { anyNumber, required } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { option } from '../program/options.ts';
import { json, limit, offset } from '../program/shared-options.ts';
import { text } from '../program/value-type.ts';

const ls = defineCommand({
  name: 'ls',
  summary: 'List audit entries, newest first',
  examples: [
    'svc audit ls',
    'svc audit ls --tool auth.sign_in --limit 20',
    'svc audit ls --user user_0199 --json',
  ],
  options: [
    option('--tool <name>', 'Filter by tool or event', text),
    option('--user <id>', 'Filter by user', id('user')),
    option('--from <time>', 'Start time: YYYY-MM-DD or ISO 8601', text),
    option('--to <time>', 'End time: YYYY-MM-DD or ISO 8601', text),
    limit,
    offset,
    json,
  ],
  run: async ({ cli, options }) => (await import('./audit/audit-entries.ts')).listAudit(cli, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show an audit entry',
  examples: ['svc audit show audit_0199', 'svc audit show audit_0199 --json'],
  args: { id: required(text, 'ID of the entry') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./audit/audit-entries.ts')).showAudit(cli, args.id, options),
});

const verify = defineCommand({
  name: 'verify',
  summary: 'Verify the integrity of the audit log (exit code 7)',
  examples: [
    'svc audit verify',
    'svc audit verify --json',
    'svc audit verify audit-000000001-000000500.jsonl.gz',
  ],
  args: { file: anyNumber(text, 'Archives to verify without a daemon, in their order') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./audit/verify-audit.ts')).verifyAudit(cli, args.file, options),
});

export const audit = defineNoun({
  name: 'audit',
  summary: 'Show and verify the audit log',
  examples: ['svc audit ls', 'svc audit ls --tool auth.sign_in --from 2026-11-01', 'svc audit verify'],
  commands: [ls, show, verify],
});

import { id } from '../ids/id-type.ts';
import { anyNumber, required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json, jsonEach, quiet } from '../program/shared-options.ts';
import { text } from '../program/value-type.ts';

const approvalId = id('approval');

const ls = defineCommand({
  name: 'ls',
  summary: 'List pending approvals',
  examples: ['svc approvals ls', 'svc approvals ls --all', 'svc approvals ls --json'],
  options: [flag('-a, --all', 'Include decided and expired approvals'), json, quiet],
  run: async ({ cli, options }) =>
    (await import('./approvals/show-approvals.ts')).listApprovals(cli, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show a tool call in full',
  examples: ['svc approvals show 0199', 'svc approvals show 0199 --json'],
  args: { id: required(approvalId) },
  options: [flag('--json', 'Print the approval as JSON')],
  run: async ({ cli, args, options }) =>
    (await import('./approvals/show-approvals.ts')).showApproval(cli, args.id, options),
});

const allow = defineCommand({
  name: 'allow',
  summary: 'Allow a tool call once',
  examples: [
    'svc approvals allow 0199',
    'svc approvals allow 0199 --always',
    'svc approvals allow 0199 --arguments changed.json',
  ],
  args: { id: required(approvalId) },
  options: [
    flag('--always', 'Do not ask again for such calls in this conversation or task'),
    flag('--whole-tool', 'Do not ask again for any call of this tool there'),
    option('--arguments <json>', 'Replace the arguments: JSON, a file, or - for stdin', text),
    flag('-y, --yes', 'Skip the confirmation of a call longer than the screen'),
    json,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./approvals/decide-approvals.ts')).allowApproval(cli, args.id, options),
});

const edit = defineCommand({
  name: 'edit',
  summary: 'Change a tool call in your editor, then allow it',
  examples: ['svc approvals edit 0199'],
  args: { id: required(approvalId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./approvals/edit-approval.ts')).editApproval(cli, args.id, options),
});

const deny = defineCommand({
  name: 'deny',
  summary: 'Deny tool calls; the agent continues without them',
  examples: [
    'svc approvals deny 0199',
    'svc approvals deny 0199 --reason "Change the generator instead"',
    'svc approvals deny --all',
  ],
  args: { id: anyNumber(approvalId) },
  options: [
    flag('--all', 'Deny all pending tool calls'),
    option('--reason <text>', 'Tell the agent why', text),
    jsonEach,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./approvals/decide-approvals.ts')).denyApprovals(cli, args.id, options),
});

const keys = defineNoun({
  name: 'keys',
  summary: 'List and remove the keys that sign your decisions',
  examples: ['svc approvals keys ls', 'svc approvals keys rm 0199', 'svc approvals keys ls --json'],
  commands: [
    defineCommand({
      name: 'ls',
      summary: 'List the keys that sign; * marks the one of this session',
      examples: ['svc approvals keys ls', 'svc approvals keys ls --json', 'svc approvals keys ls --quiet'],
      options: [json, quiet],
      run: async ({ cli, options }) => (await import('./approvals/signing-keys.ts')).listKeys(cli, options),
    }),
    defineCommand({
      name: 'rm',
      summary: 'Remove keys; they sign no more decisions',
      examples: ['svc approvals keys rm 0199', 'svc approvals keys rm skey_0199 --json'],
      args: { id: several(id('signingKey')) },
      options: [jsonEach],
      run: async ({ cli, args, options }) =>
        (await import('./approvals/signing-keys.ts')).removeKeys(cli, args.id, options),
    }),
  ],
});

export const approvals = defineNoun({
  name: 'approvals',
  summary: 'Allow or deny tool calls',
  examples: ['svc approvals ls', 'svc approvals allow 0199', 'svc approvals deny --all'],
  commands: [ls, show, allow, edit, deny, keys],
});

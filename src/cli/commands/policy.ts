import { choiceTable } from '../../contract/choice-table.ts';
import { toolName } from '../completion/suggestions.ts';
import { modeMeanings } from '../../contract/mode-meanings.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { option, repeatable } from '../program/options.ts';
import { json } from '../program/shared-options.ts';
import { choice } from '../program/value-type.ts';

const show = defineCommand({
  name: 'show',
  summary: 'Show the tool policy',
  examples: ['svc policy show', 'svc policy show --json'],
  options: [json],
  run: async ({ cli, options }) => (await import('./policy/show-policy.ts')).showPolicy(cli, options),
});

const set = defineCommand({
  name: 'set',
  summary: 'Change the tool policy; the rest stays as it is',
  examples: [
    'svc policy set --mode ask --require-approval run_command',
    'svc policy set --allow read_file list_directory --disallow "web_*"',
    'svc policy set --unblock "web_*" --no-approval run_command',
  ],
  options: [
    option(
      '--mode <mode>',
      'Mode of runs that request no stricter one',
      choice(choiceTable.policy.update.defaultMode, { meanings: modeMeanings, title: 'Modes' }),
    ),
    repeatable('--allow <tool...>', 'Allow tools without approval; a trailing * matches any name', toolName),
    repeatable('--disallow <tool...>', 'Remove tools from the allowed ones', toolName),
    repeatable('--block <tool...>', 'Block tools in every mode', toolName),
    repeatable('--unblock <tool...>', 'Remove tools from the blocked ones', toolName),
    repeatable('--require-approval <tool...>', 'Always require an approval, except in mode full', toolName),
    repeatable('--no-approval <tool...>', 'Stop requiring an approval', toolName),
    json,
  ],
  run: async ({ cli, options }) => (await import('./policy/set-policy.ts')).setPolicy(cli, options),
});

export const policy = defineNoun({
  name: 'policy',
  summary: 'Show and change the tool policy',
  examples: [
    'svc policy show',
    'svc policy set --mode allowlist --allow read_file',
    'svc policy set --block "web_*"',
  ],
  commands: [show, set],
});

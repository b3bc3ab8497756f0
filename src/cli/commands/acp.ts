import { choiceTable } from '../../contract/choice-table.ts';
import { modeMeanings } from '../../contract/mode-meanings.ts';
import { chatAgent, modelName } from '../completion/suggestions.ts';
import { defineCommand } from '../program/define-command.ts';
import { option } from '../program/options.ts';
import { choice } from '../program/value-type.ts';

export const acp = defineCommand({
  name: 'acp',
  summary: 'Serve an editor over the Agent Client Protocol (stdio)',
  examples: ['svc acp', 'svc acp --agent claude', 'svc acp --mode sandbox'],
  options: [
    option('--agent <name>', 'Agent that answers, such as claude or codex (default: a model)', chatAgent),
    option('--model <model>', 'Model (default: the configured one)', modelName),
    option(
      '--mode <mode>',
      'Security mode of new sessions (default: that of the policy)',
      choice(choiceTable.conversations.sendMessageWithTools.securityMode, { meanings: modeMeanings }),
    ),
  ],
  run: async ({ cli, options }) => (await import('./acp/serve-acp.ts')).serveAcp(cli, options),
});

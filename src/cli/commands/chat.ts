import { choiceTable } from '../../contract/choice-table.ts';
import { id } from '../ids/id-type.ts';
import { modeMeanings } from './policy/mode-meanings.ts';
import { anyNumber } from '../program/arguments.ts';
import { defineCommand } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { choice, text, wholeNumber } from '../program/value-type.ts';
import { providerName } from './providers/provider-name.ts';
import { onApprovalMeanings, onApprovalWays } from './run/on-approval.ts';

const { sendMessageWithTools, sendAgenticMessage } = choiceTable.conversations;

export const chat = defineCommand({
  name: 'chat',
  summary: 'Chat with a model that can call tools',
  examples: [
    'svc chat',
    'git diff | svc chat "Review this change"',
    'svc chat --agentic --effort high "Find out why the tests are slow"',
  ],
  args: { message: anyNumber(text, 'First message; - reads it from stdin, other piped input is appended') },
  options: [
    option('-c, --conversation <id>', 'Continue a conversation', id('conversation')),
    flag('--agentic', 'Work autonomously, step by step'),
    option('--model <model>', 'Model (default: the configured one)', text),
    option('--provider <provider>', 'Provider of the model', providerName),
    option(
      '--mode <mode>',
      'Security mode (default: that of the policy)',
      choice(sendMessageWithTools.securityMode, { meanings: modeMeanings }),
    ),
    option('--effort <effort>', 'Effort with --agentic', choice(sendAgenticMessage.effort)),
    option('--max-steps <n>', 'Maximum number of steps with --agentic (1 to 200)', wholeNumber),
    option('--max-budget <tokens>', 'Maximum number of tokens with --agentic (exit code 10)', wholeNumber),
    option(
      '--on-approval <what>',
      'With --plain: when a tool needs an approval',
      choice(onApprovalWays, { meanings: onApprovalMeanings }),
    ),
    flag('--plain', 'No full-screen interface: one message, its answer on stdout'),
    flag('--json', 'Print the conversation as JSON once the answer is complete'),
    flag('--jsonl', 'Print every event as a line of JSON'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./chat/run-chat.ts')).runChat(cli, args.message, options),
});

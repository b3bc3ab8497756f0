import { choiceTable } from '../../contract/choice-table.ts';
import { id } from '../ids/id-type.ts';
import { modeMeanings } from '../../contract/mode-meanings.ts';
import { anyNumber, optional, several } from '../program/arguments.ts';
import { defineCommand } from '../program/define-command.ts';
import { chatAgent, modelName } from '../completion/suggestions.ts';
import { flag, option, optionalValue, optionWithDefault } from '../program/options.ts';
import { json, limit, offset, quiet, yes } from '../program/shared-options.ts';
import { choice, text, wholeNumber } from '../program/value-type.ts';
import { providerName } from './providers/provider-name.ts';
import { onApprovalMeanings, onApprovalWays } from './run/on-approval.ts';

const conversationId = id('conversation');
const { sendMessageWithTools, sendAgenticMessage } = choiceTable.conversations;

const ls = defineCommand({
  name: 'ls',
  summary: 'List conversations, last used first',
  examples: ['svc chat ls', 'svc chat ls --here', 'svc chat ls --limit 5 --json'],
  options: [flag('--here', 'Only those that work in this directory'), limit, offset, json, quiet],
  run: async ({ cli, options }) =>
    (await import('./chat/list-conversations.ts')).listConversations(cli, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Print a conversation, or the last one of this directory',
  examples: ['svc chat show', 'svc chat show 0199'],
  args: { id: optional(conversationId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./chat/show-conversation.ts')).showConversation(cli, args.id, options),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Delete conversations and all their messages',
  examples: ['svc chat rm 0199', 'svc chat rm --yes 0199 01a2'],
  args: { ids: several(conversationId) },
  options: [yes],
  run: async ({ cli, args, options }) =>
    (await import('./chat/remove-conversations.ts')).removeConversations(cli, args.ids, options),
});

const exportCommand = defineCommand({
  name: 'export',
  summary: 'Export a conversation, or the last one of this directory',
  examples: [
    'svc chat export > chat.md',
    'svc chat export 0199 --format json',
    'svc chat export 0199 | svc run "Continue this work"',
  ],
  args: { id: optional(conversationId) },
  options: [optionWithDefault('--format <format>', 'Format', choice(['markdown', 'json']), 'markdown')],
  run: async ({ cli, args, options }) =>
    (await import('./chat/export-conversation.ts')).exportConversation(cli, args.id, options),
});

export const chat = defineCommand({
  name: 'chat',
  summary: 'Chat with a model that can call tools, or with an agent',
  examples: [
    'svc chat',
    'svc chat --agent claude',
    'svc chat --agentic --effort high "Find out why the tests are slow"',
  ],
  commands: [ls, show, rm, exportCommand],
  args: { message: anyNumber(text, 'First message; - reads it from stdin, other piped input is appended') },
  options: [
    optionalValue(
      '-c, --conversation [id]',
      'Continue a conversation; without an ID the last one of this directory',
      conversationId,
    ),
    option('--agent <name>', 'Agent that answers, such as claude or codex (default: a model)', chatAgent),
    flag('--agentic', 'Work autonomously, step by step'),
    option('--model <model>', 'Model (default: the configured one)', modelName),
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

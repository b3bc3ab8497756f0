import { type Command, Option } from 'commander';
import type { ChatOptions } from '../chat/run-chat.ts';
import type { Cli } from '../cli.ts';
import { wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';

/** `svc chat`. */
export function fillChat(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc chat',
    'git diff | svc chat "Review this change"',
    'svc chat --agentic --effort high "Find out why the tests are slow"',
  ])
    .argument('[message...]', 'what to say first; - reads it from stdin, other piped input is added to it')
    .option('-c, --conversation <id>', 'go on with a conversation; the beginning of its id is enough')
    .option('--agentic', 'let it work by itself, step after step')
    .option('--model <model>', 'the model; the default one unless set')
    .option('--provider <provider>', 'the provider of the model')
    .addOption(
      new Option('--mode <mode>', 'who is asked before a tool runs; the policy says it unless set').choices([
        'deny',
        'sandbox',
        'allowlist',
        'ask',
        'full',
      ]),
    )
    .addOption(
      new Option('--effort <effort>', 'how far it goes with --agentic').choices([
        'low',
        'medium',
        'high',
        'max',
      ]),
    )
    .option('--max-steps <n>', 'at most these many steps with --agentic (1 to 200)', wholeNumber)
    .option('--max-budget <tokens>', 'at most these many tokens with --agentic (exit code 10)', wholeNumber)
    .addOption(
      new Option('--on-approval <what>', 'without a screen: when a tool needs an approval').choices([
        'fail',
        'wait',
        'deny',
      ]),
    )
    .option('--plain', 'no screen: one message, its answer on stdout')
    .option('--json', 'print the conversation as JSON when the answer is complete')
    .option('--jsonl', 'print every event as a line of JSON')
    .action(async (words: string[], options: ChatOptions) => {
      const { runChat } = await import('../chat/run-chat.ts');
      cli.exitCode = await runChat(cli, words, options);
    });
}

import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { duration, gather, oneOf, wholeNumber } from '../option-parsers.ts';
import { modeMeanings, securityModes } from '../policy/mode-meanings.ts';
import { withExamples } from '../program.ts';
import type { RunOptions } from '../run/create-task.ts';
import { onApprovalMeanings, onApprovalWays } from '../run/on-approval.ts';

/** `svc run`. */
export function fillRun(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc run --agent command -- "wc -l README.md"',
    'git diff | svc run "Review this change"',
    'svc run --detach --label nightly "Update the dependencies"',
  ])
    .argument('[prompt...]', 'what to do; - reads it from stdin, other piped input is added to it')
    .option('-a, --agent <type>', 'the agent that does it')
    .option('--cwd <folder>', 'where a command runs; the present folder unless set')
    .option('-d, --detach', 'print the id and do not wait (exit code 8)')
    .option('--timeout <duration>', 'cancel after 30s, 5m, 1h … (exit code 124)', duration)
    .option('--idempotency-key <key>', 'the same key with the same task runs once')
    .option('--attempts <n>', 'how often to try, the first time included', wholeNumber)
    .option('--priority <n>', '1 (critical) to 4 (low)', wholeNumber)
    .option('--title <title>', 'the title; the first line of the prompt unless set')
    .option('-l, --label <label>', 'a label; may be repeated', gather)
    .option(
      '--mode <mode>',
      `${securityModes.join(', ')}; only an administrator gets a less strict one than the policy has`,
      oneOf(securityModes),
    )
    .option(
      '--on-approval <way>',
      `${onApprovalWays.join(', ')}; wait on a terminal unless set, else fail`,
      oneOf(onApprovalWays),
    )
    .option('--json', 'print the finished task as JSON')
    .option('--jsonl', 'print every event as a line of JSON')
    .option('-q, --quiet', 'print the id only')
    .addHelpText(
      'after',
      `\nModes:\n${listed(modeMeanings)}\n\nWhen a tool needs an approval:\n${listed(onApprovalMeanings)}`,
    )
    .action(async (words: string[], options: RunOptions) => {
      const { runTask } = await import('../run/run-task.ts');
      cli.exitCode = await runTask(cli, words, options);
    });
}

const listed = (meanings: Record<string, string>) =>
  Object.entries(meanings)
    .map(([name, meaning]) => `  ${name.padEnd(10)} ${meaning}`)
    .join('\n');

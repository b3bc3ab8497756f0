import { choiceTable } from '../../contract/choice-table.ts';
import { agentType, continuedTask } from '../completion/suggestions.ts';
import { modeMeanings } from '../../contract/mode-meanings.ts';
import { anyNumber } from '../program/arguments.ts';
import { defineCommand } from '../program/define-command.ts';
import { flag, option, repeatable } from '../program/options.ts';
import { choice, duration, text, wholeNumber } from '../program/value-type.ts';
import { pickMeanings, pickWays } from '../../contract/pick-meanings.ts';
import { onApprovalMeanings, onApprovalWays } from './run/on-approval.ts';
import { environmentOptions } from './tasks/environment-options.ts';
import { priority } from './tasks/priority.ts';
import { workOptions } from './tasks/work-options.ts';

export const run = defineCommand({
  name: 'run',
  summary: 'Run a task and print its answer',
  examples: [
    'svc run --agent command -- "wc -l README.md"',
    'svc run --continue 0199 "Now also update the docs"',
    'svc run --agents claude,codex --verify "npm test" "Fix the failing test"',
  ],
  args: { prompt: anyNumber(text, 'What to do; - reads it from stdin, other piped input is appended') },
  options: [
    option('-a, --agent <type>', 'Agent that runs the task', agentType),
    option('--continue <id>', 'Continue the session of a finished task of a coding agent', continuedTask),
    option(
      '--agents <list>',
      'Let several agents do it and take the best result, such as claude,codex',
      text,
    ),
    option('--best-of <n>', 'Number of candidates, each in a worktree (default: one per agent)', wholeNumber),
    option(
      '--pick <way>',
      'Who chooses among candidates that completed (default: verify)',
      choice(pickWays, { meanings: pickMeanings, title: 'Who chooses' }),
    ),
    option('--cwd <folder>', 'Directory that commands run in (default: the current one)', text),
    ...environmentOptions,
    flag('--worktree', 'Work in a Git worktree of its own'),
    flag('--in-place', 'Work in the directory itself, also if the agent would get a worktree'),
    flag('-d, --detach', 'Print the ID and do not wait (exit code 8)'),
    option(
      '--timeout <duration>',
      'Wait no longer than 30s, 5m …, queue included, then cancel (exit code 124)',
      duration,
    ),
    option('--idempotency-key <key>', 'Create the same task only once per key', text),
    option(
      '--attempts <n>',
      'Maximum number of attempts, also for a command that exits with an error',
      wholeNumber,
    ),
    option('--priority <n>', 'Priority, 1 (critical) to 4 (low)', priority),
    option('--title <title>', 'Title (default: the first line of the prompt)', text),
    repeatable('-l, --label <label>', 'Add a label', text),
    option(
      '--mode <mode>',
      'Security mode; only administrators can relax the policy',
      choice(choiceTable.tasks.create.securityMode, { meanings: modeMeanings, title: 'Modes' }),
    ),
    option(
      '--memory <scope>',
      'Memory that the agent uses: project (default) or all',
      choice(choiceTable.tasks.create.memoryScope),
    ),
    option(
      '--on-approval <way>',
      'When a tool needs an approval (default: wait on a terminal, else fail)',
      choice(onApprovalWays, { meanings: onApprovalMeanings, title: 'When a tool needs an approval' }),
    ),
    ...workOptions,
    option('-o, --output-last-message <file>', 'Also write the answer to a file', text),
    flag('--allow-refusals', 'Exit with 0 although calls were refused'),
    flag('--json', 'Print the finished task as JSON'),
    flag('--jsonl', 'Print every event as a line of JSON'),
    flag('-q, --quiet', 'Print the ID only'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./run/run-task.ts')).runTask(cli, args.prompt, options),
});

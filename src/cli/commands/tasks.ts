import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { duration, gather, wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';
import type { CreateOptions } from '../tasks/create-from-flags.ts';
import type { ListOptions } from '../tasks/list-tasks.ts';

/** `svc tasks`. */
export function fillTasks(command: Command, cli: Cli): void {
  withExamples(command, ['svc tasks ls --status failed', 'svc tasks show 0199', 'svc tasks logs -f 0199']);
  fillReading(command, cli);
  fillChanging(command, cli);
}

function fillReading(command: Command, cli: Cli): void {
  withExamples(command.command('ls').description('list tasks, newest first'), [
    'svc tasks ls',
    'svc tasks ls --status failed --label nightly',
    'svc tasks ls --q "timeout" --json',
  ])
    .option(
      '-s, --status <status>',
      'pending, queued, in_progress, completed, failed or cancelled; may be repeated',
      gather,
    )
    .option('--limit <n>', 'how many, at most 500', wholeNumber)
    .option('--all', 'all of them, however many')
    .option('--cursor <cursor>', 'where the page before ended')
    .option('--q <text>', 'words in title, description or prompt')
    .option('-l, --label <label>', 'with this label; may be repeated', gather)
    .option('-a, --agent <type>', 'of this agent')
    .option('--source <source>', 'api, cron, codehost, tracker_a or tracker_b')
    .option('--priority <n>', '1 (critical) to 4 (low)')
    .option('--repository <owner/repo>', 'of this repository')
    .option('--created-after <date>', 'YYYY-MM-DD or ISO 8601')
    .option('--created-before <date>', 'YYYY-MM-DD or ISO 8601')
    .option('--sort <field>', 'createdAt, updatedAt, priority or completedAt')
    .option('--order <order>', 'asc or desc')
    .option('--full', 'with --json: all fields')
    .option('--json', 'print the answer of the daemon')
    .option('-q, --quiet', 'print the ids only')
    .action(async (options: ListOptions) => (await import('../tasks/list-tasks.ts')).listTasks(cli, options));
  withExamples(command.command('show').description('show a task'), [
    'svc tasks show 0199',
    'svc tasks show 0199 --json',
  ])
    .argument('<id>', 'its id or the beginning of it')
    .option('--json', 'print the answer of the daemon')
    .action(async (id: string, options: { json?: boolean }) =>
      (await import('../tasks/show-task.ts')).showTask(cli, id, options),
    );
  withExamples(command.command('logs').description('print what a task wrote, and what happened to it'), [
    'svc tasks logs 0199',
    'svc tasks logs -f 0199',
  ])
    .argument('<id>', 'its id or the beginning of it')
    .option('-f, --follow', 'go on until the task has ended')
    .option('--json', 'print every event as a line of JSON')
    .action(async (id: string, options: { follow?: boolean; json?: boolean }) =>
      (await import('../tasks/task-logs.ts')).showTaskLogs(cli, id, options),
    );
  withExamples(command.command('watch').description('follow what happens to all tasks, and look into each'), [
    'svc tasks watch',
    'svc tasks watch 0199',
    'svc tasks watch --json',
  ])
    .argument('[id]', 'look into this one; its id or the beginning of it')
    .option('--json', 'print every message as a line of JSON')
    .action(async (id: string | undefined, options: { json?: boolean }) =>
      (await import('../tasks/watch-tasks.ts')).watchTasks(cli, id, options),
    );
  withExamples(command.command('wait').description('wait for a task and exit as it does'), [
    'svc tasks wait 0199',
    'svc tasks wait 0199 --timeout 5m',
  ])
    .argument('<id>', 'its id or the beginning of it')
    .option('--timeout <duration>', 'stop waiting after 30s, 5m, 1h … (exit code 8)', duration)
    .option('--json', 'print the finished task')
    .action(async (id: string, options: { timeout?: number; json?: boolean }) =>
      (await import('../tasks/wait-for-task.ts')).waitForTask(cli, id, options),
    );
}

function fillChanging(command: Command, cli: Cli): void {
  withExamples(command.command('create').description('create a task and do not wait for it'), [
    'svc tasks create --title "Update the docs" --agent http',
    'svc tasks create --file task.json',
    `echo '{"title": "Say hello"}' | svc tasks create --file -`,
  ])
    .option('--title <title>', 'the title')
    .option('--prompt <text>', 'what the agent is told')
    .option('--description <text>', 'the description')
    .option('-a, --agent <type>', 'the agent that does it')
    .option('--priority <n>', '1 (critical) to 4 (low)', wholeNumber)
    .option('-l, --label <label>', 'a label; may be repeated', gather)
    .option('--repository <owner/repo>', 'the repository')
    .option('--branch <branch>', 'the branch')
    .option('--cwd <folder>', 'where a command runs')
    .option('--attempts <n>', 'how often to try, the first time included', wholeNumber)
    .option('--file <file>', 'the task as JSON; - reads stdin')
    .option('--idempotency-key <key>', 'the same key with the same task creates it once')
    .option('--json', 'print the answer of the daemon')
    .action(async (options: CreateOptions) =>
      (await import('../tasks/create-from-flags.ts')).createFromFlags(cli, options),
    );
  const each = (name: 'cancel' | 'retry' | 'release', summary: string) =>
    withExamples(command.command(name).description(summary), [`svc tasks ${name} 0199`])
      .argument('<id...>', 'ids or the beginnings of them')
      .option('--json', 'print the answers of the daemon')
      .action(async (ids: string[], options: { json?: boolean }) => {
        const { cancelTasks, releaseTasks, retryTasks } = await import('../tasks/change-tasks.ts');
        await { cancel: cancelTasks, retry: retryTasks, release: releaseTasks }[name](cli, ids, options);
      });
  each('cancel', 'cancel tasks that have not ended');
  each('retry', 'run ended tasks again, as new tasks');
  each('release', 'let imported tasks run');
  withExamples(command.command('export').description('export all tasks as JSON'), [
    'svc tasks export --output tasks.json',
    'svc tasks export | gzip > tasks.json.gz',
  ])
    .option('-o, --output <file>', 'write to a file')
    .action(async (options: { output?: string }) =>
      (await import('../tasks/transfer-tasks.ts')).exportTasks(cli, options),
    );
  withExamples(command.command('import').description('import an earlier export'), [
    'svc tasks import tasks.json',
  ])
    .argument('<file>', 'the export; - reads stdin')
    .option('--json', 'print the answer of the daemon')
    .action(async (file: string, options: { json?: boolean }) =>
      (await import('../tasks/transfer-tasks.ts')).importTasks(cli, file, options),
    );
}

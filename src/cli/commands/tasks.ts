import { choiceTable } from '../../contract/choice-table.ts';
import { agentType } from '../completion/suggestions.ts';
import { id } from '../ids/id-type.ts';
import { optional, required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option, repeatable } from '../program/options.ts';
import { json, jsonEach, limit, quiet } from '../program/shared-options.ts';
import { choice, duration, text, wholeNumber } from '../program/value-type.ts';
import { priorities, priority } from './tasks/priority.ts';
import { vendorWords } from './integrations/vendors.ts';

const { filter } = choiceTable.tasks;
const taskId = id('task');

const ls = defineCommand({
  name: 'ls',
  summary: 'List tasks, newest first',
  examples: [
    'svc tasks ls',
    'svc tasks ls --status failed --label nightly',
    'svc tasks ls --here --fields id,title',
  ],
  options: [
    repeatable('-s, --status <status>', 'Filter by status', choice(filter.status, { isOpen: true })),
    limit,
    flag('--all', 'Show all tasks'),
    option('--cursor <cursor>', 'Continue after an earlier page', text),
    option('--q <text>', 'Search in title, description and prompt', text),
    repeatable('-l, --label <label>', 'Filter by label', text),
    option('-a, --agent <type>', 'Filter by agent', agentType),
    option(
      '--source <source>',
      'Filter by source',
      choice(filter.source, { aliases: vendorWords, isOpen: true }),
    ),
    option('--source-id <id>', 'Filter by the ID at its source, such as that of a schedule', text),
    option('--priority <n>', 'Filter by priority, 1 (critical) to 4 (low)', priorities),
    option('--repository <owner/repo>', 'Filter by repository', text),
    flag('--here', 'Tasks that work in this project: the repository or directory you are in'),
    option('--created-after <date>', 'Created after YYYY-MM-DD or ISO 8601', text),
    option('--created-before <date>', 'Created before YYYY-MM-DD or ISO 8601', text),
    option('--sort <field>', 'Sort by', choice(filter.sortBy, { isOpen: true })),
    option('--order <order>', 'Sort order', choice(filter.sortOrder, { isOpen: true })),
    flag('--full', 'With --json: include all fields'),
    json,
    quiet,
  ],
  run: async ({ cli, options }) => (await import('./tasks/list-tasks.ts')).listTasks(cli, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show a task',
  examples: ['svc tasks show 0199', 'svc tasks show 0199 --json'],
  args: { id: required(taskId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/show-task.ts')).showTask(cli, args.id, options),
});

const logs = defineCommand({
  name: 'logs',
  summary: 'Print the output and events of a task',
  examples: ['svc tasks logs 0199', 'svc tasks logs -f 0199'],
  args: { id: required(taskId) },
  options: [
    flag('-f, --follow', 'Continue until the task has finished'),
    flag('--utc', 'Show times in UTC'),
    flag('--json', 'Print every event as a line of JSON'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/task-logs.ts')).showTaskLogs(cli, args.id, options),
});

const trace = defineCommand({
  name: 'trace',
  summary: 'Show where the time of a task went',
  examples: ['svc tasks trace 0199', 'svc tasks trace 0199 --json'],
  args: { id: required(taskId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/show-trace.ts')).showTrace(cli, args.id, options),
});

const output = defineCommand({
  name: 'output',
  summary: 'Print what the command of a task printed',
  examples: [
    'svc tasks output 0199 > dump',
    'svc tasks output -f 0199',
    'svc tasks output 0199 --search error',
  ],
  args: { id: required(taskId) },
  options: [
    flag('--stderr', 'Print stderr instead of stdout'),
    flag('--text', 'Print what its agent said while it worked'),
    flag('-f, --follow', 'Continue until the task has finished'),
    option('--search <text>', 'Print the lines that contain a text', text),
    flag('--case', 'With --search: distinguish case'),
    flag('--json', 'With --search: print JSON'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/task-output.ts')).printTaskOutput(cli, args.id, options),
});

const diff = defineCommand({
  name: 'diff',
  summary: 'Show what the agent of a task changed in files',
  examples: [
    'svc tasks diff 0199',
    'svc tasks diff 0199 src/sum.js',
    'svc tasks diff 0199 | git apply --reverse',
  ],
  args: { id: required(taskId), path: optional(text, 'Only this file, as --name-only prints it') },
  options: [
    flag('--stat', 'Show the number of changed lines per file'),
    flag('--name-only', 'Print the paths of the changed files'),
    json,
  ],
  run: async ({ cli, args, options }) =>
    options.stat || options.nameOnly || args.path !== undefined
      ? (await import('./tasks/show-changed-files.ts')).showChangedFiles(cli, args, options)
      : (await import('./tasks/show-changes.ts')).showChanges(cli, args.id, options),
});

const compare = defineCommand({
  name: 'compare',
  summary: 'Compare the candidates of a task',
  examples: ['svc tasks compare 0199', 'svc tasks compare 0199 --json'],
  args: { id: required(taskId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/compare-candidates.ts')).compareCandidates(cli, args.id, options),
});

const pick = defineCommand({
  name: 'pick',
  summary: 'Choose a candidate of a task',
  examples: ['svc tasks pick 0199 2', 'svc tasks pick 0199 claude'],
  args: {
    id: required(taskId),
    candidate: required(text, 'Its number, its agent, or its ID or the beginning or end of it'),
  },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/compare-candidates.ts')).pickCandidate(
      cli,
      { text: args.id, candidate: args.candidate },
      options,
    ),
});

const apply = defineCommand({
  name: 'apply',
  summary: 'Apply the changes in the worktree of a task',
  examples: ['svc tasks apply 0199'],
  args: { id: required(taskId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/worktree-changes.ts')).applyChanges(cli, args.id, options),
});

const commit = defineCommand({
  name: 'commit',
  summary: 'Commit the changes in the worktree of a task',
  examples: ['svc tasks commit 0199', 'svc tasks commit 0199 -m "Fix the parser"'],
  args: { id: required(taskId) },
  options: [option('-m, --message <text>', 'Message (default: the title of the task)', text), json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/worktree-changes.ts')).commitChanges(cli, args.id, options),
});

const push = defineCommand({
  name: 'push',
  summary: 'Push the branch of a task to GitHub',
  examples: ['svc tasks push 0199'],
  args: { id: required(taskId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/publish-changes.ts')).pushChanges(cli, args.id, options),
});

const pr = defineCommand({
  name: 'pr',
  summary: 'Open a pull request for the changes of a task',
  examples: ['svc tasks pr 0199', 'svc tasks pr 0199 --title "Fix the parser" --draft'],
  args: { id: required(taskId) },
  options: [
    option('--title <title>', 'Title (default: the title of the task)', text),
    option('--body <text>', 'Text before the facts about the task', text),
    flag('--draft', 'Open it as a draft'),
    option('--base <branch>', 'Branch to merge into', text),
    json,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/publish-changes.ts')).openPullRequest(cli, args.id, options),
});

const discard = defineCommand({
  name: 'discard',
  summary: 'Remove the worktree of a task and its branch',
  examples: ['svc tasks discard 0199'],
  args: { id: required(taskId) },
  options: [flag('--force', 'Also discard files that cannot be kept'), json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/worktree-changes.ts')).discardChanges(cli, args.id, options),
});

const undo = defineCommand({
  name: 'undo',
  summary: 'Restore the files that the agent of a task changed',
  examples: ['svc tasks undo 0199 --dry-run', 'svc tasks undo 0199'],
  args: { id: required(taskId) },
  options: [flag('--dry-run', 'Show what would be restored'), json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/undo-changes.ts')).undoChanges(cli, args.id, options),
});

const watch = defineCommand({
  name: 'watch',
  summary: 'Follow all tasks, or one in detail',
  examples: ['svc tasks watch', 'svc tasks watch 0199', 'svc tasks watch --json'],
  args: { id: optional(taskId) },
  options: [flag('--json', 'Print every message as a line of JSON')],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/watch-tasks.ts')).watchTasks(cli, args.id, options),
});

const wait = defineCommand({
  name: 'wait',
  summary: 'Wait for a task and exit with its exit code',
  examples: ['svc tasks wait 0199', 'svc tasks wait 0199 --timeout 5m'],
  args: { id: required(taskId) },
  options: [
    option('--timeout <duration>', 'Stop waiting after 30s, 5m, 1h … (exit code 8)', duration),
    flag('--allow-refusals', 'Exit with 0 although calls were refused'),
    flag('--json', 'Print the finished task as JSON'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/wait-for-task.ts')).waitForTask(cli, args.id, options),
});

const create = defineCommand({
  name: 'create',
  summary: 'Create a task without waiting for it',
  examples: [
    'svc tasks create --title "Update the docs" --agent http',
    'svc tasks create --file task.json',
    `echo '{"title": "Say hello"}' | svc tasks create --file -`,
  ],
  options: [
    option('--title <title>', 'Title', text),
    option('--prompt <text>', 'Instructions for the agent', text),
    option('--description <text>', 'Description', text),
    option('-a, --agent <type>', 'Agent that runs the task', agentType),
    option('--priority <n>', 'Priority, 1 (critical) to 4 (low)', priority),
    repeatable('-l, --label <label>', 'Add a label', text),
    repeatable('--needs <label>', 'Run only on a daemon with this label, such as gpu or host:NAME', text),
    option('--repository <owner/repo>', 'Repository', text),
    option('--branch <branch>', 'Branch', text),
    option('--cwd <folder>', 'Directory that commands run in', text),
    option('--attempts <n>', 'Maximum number of attempts', wholeNumber),
    option('--file <file>', 'Read the task as JSON; - reads stdin', text),
    option('--idempotency-key <key>', 'Create the same task only once per key', text),
    json,
  ],
  run: async ({ cli, options }) =>
    (await import('./tasks/create-from-flags.ts')).createFromFlags(cli, options),
});

const cancel = defineCommand({
  name: 'cancel',
  summary: 'Cancel unfinished tasks',
  examples: ['svc tasks cancel 0199'],
  args: { id: several(taskId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/change-tasks.ts')).cancelTasks(cli, args.id, options),
});

const retry = defineCommand({
  name: 'retry',
  summary: 'Run finished tasks again as new tasks',
  examples: ['svc tasks retry 0199'],
  args: { id: several(taskId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/change-tasks.ts')).retryTasks(cli, args.id, options),
});

const release = defineCommand({
  name: 'release',
  summary: 'Release imported tasks to run',
  examples: ['svc tasks release 0199'],
  args: { id: several(taskId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/change-tasks.ts')).releaseTasks(cli, args.id, options),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Delete finished tasks',
  examples: ['svc tasks rm 0199'],
  args: { id: several(taskId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/change-tasks.ts')).removeTasks(cli, args.id, options),
});

const exportCommand = defineCommand({
  name: 'export',
  summary: 'Export all tasks as JSON',
  examples: ['svc tasks export --output tasks.json', 'svc tasks export | gzip > tasks.json.gz'],
  options: [option('-o, --output <file>', 'Write to a file', text)],
  run: async ({ cli, options }) => (await import('./tasks/export-tasks.ts')).exportTasks(cli, options),
});

const importCommand = defineCommand({
  name: 'import',
  summary: 'Import tasks from an export',
  examples: ['svc tasks import tasks.json'],
  args: { file: required(text, 'The export; - reads stdin') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./tasks/import-tasks.ts')).importTasks(cli, args.file, options),
});

export const tasks = defineNoun({
  name: 'tasks',
  summary: 'Manage tasks',
  examples: ['svc tasks ls --status failed', 'svc tasks show 0199', 'svc tasks logs -f 0199'],
  commands: [
    ls,
    show,
    logs,
    trace,
    output,
    diff,
    compare,
    pick,
    apply,
    commit,
    push,
    pr,
    discard,
    undo,
    watch,
    wait,
    create,
    cancel,
    retry,
    release,
    rm,
    exportCommand,
    importCommand,
  ],
});

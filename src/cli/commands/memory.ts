import { choiceTable } from '../../contract/choice-table.ts';
import { indexedFile } from '../completion/suggestions.ts';
import { id } from '../ids/id-type.ts';
import { methodMeanings } from '../../contract/search-method-words.ts';
import { anyNumber, optional, required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json, jsonEach, limit, offset, quiet } from '../program/shared-options.ts';
import { choice, decimal, text, wholeNumber } from '../program/value-type.ts';

const query = several(text, 'Question or words, taken literally');
const searchOptions = [
  option('--limit <n>', 'Show at most this many results (maximum 100, default: 6)', wholeNumber),
  option('--min-score <score>', 'Minimum score, 0 to 1', decimal),
  option('--under <path>', 'Only files at or below this path', text),
  option(
    '--method <method>',
    'Search method (default: the best available)',
    choice(choiceTable.memory.search.method, { meanings: methodMeanings }),
  ),
  json,
] as const;
const whose = option('--user <id>', 'Act for another user; administrators only', id('user'));

const search = defineCommand({
  name: 'search',
  summary: 'Search the indexed files by keywords or a question',
  examples: [
    'svc memory search "how do we deploy"',
    'svc memory search retry backoff --under src --limit 3',
    'svc memory search invoice --json',
  ],
  args: { query },
  options: [...searchOptions, flag('-q, --quiet', 'Print the IDs of the chunks only')],
  run: async ({ cli, args, options }) =>
    (await import('./memory/search-memory.ts')).searchMemory(cli, args.query, options),
});

const why = defineCommand({
  name: 'why',
  summary: 'Search and explain each score',
  examples: ['svc memory why "how do we deploy"', 'svc memory why deploy --method keyword'],
  args: { query },
  options: searchOptions,
  run: async ({ cli, args, options }) =>
    (await import('./memory/explain-search.ts')).explainSearch(cli, args.query, options),
});

const warm = defineCommand({
  name: 'warm',
  summary: 'Load the index to speed up the next search',
  examples: ['svc memory warm', 'svc memory warm "what the run will be about"'],
  args: { query: anyNumber(text, 'What will be searched for') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./memory/memory-stats.ts')).warmMemory(cli, args.query, options),
});

const sync = defineCommand({
  name: 'sync',
  summary: 'Update the index of one directory, or of all',
  examples: ['svc memory sync ~/notes', 'svc memory sync', 'svc memory sync . --json'],
  args: {
    folder: optional(text, 'Directory to index from now on, for administrators (default: all of them)'),
  },
  options: [json, flag('-q, --quiet', 'Print nothing unless it fails')],
  run: async ({ cli, args, options }) =>
    (await import('./memory/sync-memory.ts')).syncMemory(cli, args.folder, options),
});

const stats = defineCommand({
  name: 'stats',
  summary: 'Show index statistics',
  examples: ['svc memory stats', 'svc memory stats --json'],
  options: [json],
  run: async ({ cli, options }) => (await import('./memory/memory-stats.ts')).showMemoryStats(cli, options),
});

const watch = defineCommand({
  name: 'watch',
  summary: 'Show whether directories are watched, and follow syncs',
  examples: ['svc memory watch', 'svc memory watch --json'],
  options: [flag('--json', "Print the daemon's response as JSON, and follow nothing")],
  run: async ({ cli, options }) => (await import('./memory/watch-memory.ts')).watchMemory(cli, options),
});

const files = defineCommand({
  name: 'files',
  summary: 'List indexed files by path',
  examples: [
    'svc memory files',
    'svc memory files --limit 20 --offset 40',
    'svc memory files --quiet | grep deploy',
  ],
  options: [
    option('--limit <n>', 'Show at most this many (maximum 10000)', wholeNumber),
    offset,
    json,
    flag('-q, --quiet', 'Print the paths only'),
  ],
  run: async ({ cli, options }) => (await import('./memory/indexed-files.ts')).listIndexedFiles(cli, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show the indexed content of a file',
  examples: ['svc memory show notes/deploy.md', 'svc memory show notes/deploy.md --json'],
  args: { path: required(indexedFile) },
  options: [json, quiet],
  run: async ({ cli, args, options }) =>
    (await import('./memory/indexed-files.ts')).showIndexedFile(cli, args.path, options),
});

const forget = defineCommand({
  name: 'forget',
  summary: 'Remove files or chunks from the index only',
  examples: [
    'svc memory forget notes/old.md',
    'svc memory forget chunk_12 chunk_13',
    'svc memory forget --all',
  ],
  args: {
    what: anyNumber(indexedFile, 'Files until the next sync, or chunks until their file changes'),
  },
  options: [
    flag('--all', 'Remove everything from the index'),
    flag('-y, --yes', 'With --all: skip the confirmation prompt'),
    json,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./memory/forget.ts')).forgetMemory(cli, args.what, options),
});

const sessions = defineNoun({
  name: 'sessions',
  summary: 'Manage memory sessions',
  examples: [
    'svc memory sessions ls',
    'svc memory sessions create "the release"',
    'svc memory sessions archive 0199',
  ],
  commands: [
    defineCommand({
      name: 'ls',
      summary: 'List memory sessions, newest first',
      examples: ['svc memory sessions ls', 'svc memory sessions ls --status active'],
      options: [
        option('-s, --status <status>', 'Filter by status', choice(choiceTable.memory.listSessions.status)),
        limit,
        offset,
        json,
        quiet,
      ],
      run: async ({ cli, options }) =>
        (await import('./memory/memory-sessions.ts')).listMemorySessions(cli, options),
    }),
    defineCommand({
      name: 'create',
      summary: 'Create a memory session',
      examples: ['svc memory sessions create "the release"'],
      args: { name: required(text, 'Name') },
      options: [
        option('--conversation <id>', 'Conversation that it belongs to', id('conversation')),
        whose,
        json,
      ],
      run: async ({ cli, args, options }) =>
        (await import('./memory/memory-sessions.ts')).createMemorySession(cli, args.name, options),
    }),
    defineCommand({
      name: 'archive',
      summary: 'Archive memory sessions',
      examples: ['svc memory sessions archive 0199'],
      args: { id: several(id('memorySession')) },
      options: [jsonEach],
      run: async ({ cli, args, options }) =>
        (await import('./memory/memory-sessions.ts')).archiveMemorySessions(cli, args.id, options),
    }),
  ],
});

const preferences = defineNoun({
  name: 'preferences',
  summary: 'Manage your preferences',
  examples: [
    'svc memory preferences ls',
    'svc memory preferences track tests vitest',
    'svc memory preferences rm 0199',
  ],
  commands: [
    defineCommand({
      name: 'ls',
      summary: 'List preferences, highest confidence first',
      examples: ['svc memory preferences ls'],
      options: [whose, json, quiet],
      run: async ({ cli, options }) =>
        (await import('./memory/preferences.ts')).listPreferences(cli, options),
    }),
    defineCommand({
      name: 'track',
      summary: 'Record a preference; repeating it adds confidence',
      examples: [
        'svc memory preferences track tests vitest',
        'svc memory preferences track answers "short, in English"',
      ],
      args: { category: required(text, 'Category'), value: required(text, 'Preferred value') },
      options: [whose, json],
      run: async ({ cli, args, options }) =>
        (await import('./memory/preferences.ts')).trackPreference(cli, args.category, args.value, options),
    }),
    defineCommand({
      name: 'rm',
      summary: 'Remove preferences',
      examples: ['svc memory preferences rm 0199'],
      args: { id: several(id('preference', { within: { name: 'user' } })) },
      options: [whose, jsonEach],
      run: async ({ cli, args, options }) =>
        (await import('./memory/preferences.ts')).removePreferences(cli, args.id, options),
    }),
  ],
});

export const memory = defineNoun({
  name: 'memory',
  summary: 'Index and search directories',
  examples: ['svc memory sync ~/notes', 'svc memory search "how do we deploy"', 'svc memory why deploy'],
  commands: [search, why, warm, sync, stats, watch, files, show, forget, sessions, preferences],
});

import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import type { ForgetOptions } from '../memory/forget.ts';
import type { FilesOptions } from '../memory/indexed-files.ts';
import type { CreateSessionOptions, SessionsOptions } from '../memory/memory-sessions.ts';
import { searchMethods, type SearchOptions } from '../memory/search-options.ts';
import { decimal, oneOf, wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';

interface Options {
  json?: boolean;
  quiet?: boolean;
}
interface PreferenceOptions extends Options {
  user?: string;
}

const answers = ['--json', 'print the answer of the daemon'] as const;
const idsOnly = ['-q, --quiet', 'print the ids only'] as const;
const idsText = 'ids or the beginnings of them';
const statuses = ['active', 'archived'] as const;

const files = () => import('../memory/indexed-files.ts');
const stats = () => import('../memory/memory-stats.ts');
const sessions = () => import('../memory/memory-sessions.ts');
const preferences = () => import('../memory/preferences.ts');

/** `svc memory`. */
export function fillMemory(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc memory sync ~/notes',
    'svc memory search "how do we deploy"',
    'svc memory why deploy',
  ]);
  fillSearch(command, cli);
  fillIndex(command, cli);
  fillFiles(command, cli);
  fillSessions(command, cli);
  fillPreferences(command, cli);
}

function fillSearch(command: Command, cli: Cli): void {
  const searching = (verb: string, summary: string, examples: string[]) =>
    withExamples(command.command(verb).description(summary), examples)
      .argument('<query...>', 'a question or words; none of it is syntax')
      .option('--limit <n>', 'how many results, at most 100; 6 unless set', wholeNumber)
      .option('--min-score <score>', 'leave out what scores less, 0 to 1', decimal)
      .option('--under <path>', 'only files at or below this path')
      .option('--method <method>', `${searchMethods.join(', ')}; the best unless set`, oneOf(searchMethods))
      .option(...answers);
  searching('search', 'search the indexed files by keywords or a question', [
    'svc memory search "how do we deploy"',
    'svc memory search retry backoff --under src --limit 3',
    'svc memory search invoice --json',
  ])
    .option('-q, --quiet', 'print the ids of the chunks only')
    .action(async (words: string[], options: SearchOptions) =>
      (await import('../memory/search-memory.ts')).searchMemory(cli, words, options),
    );
  searching('why', 'search, and show how each score came about', [
    'svc memory why "how do we deploy"',
    'svc memory why deploy --method keyword',
  ]).action(async (words: string[], options: SearchOptions) =>
    (await import('../memory/explain-search.ts')).explainSearch(cli, words, options),
  );
  withExamples(command.command('warm').description('load the index, so that the next search is fast'), [
    'svc memory warm',
    'svc memory warm "what the run will be about"',
  ])
    .argument('[query...]', 'what will be searched for')
    .option(...answers)
    .action(async (words: string[], options: Options) => (await stats()).warmMemory(cli, words, options));
}

function fillIndex(command: Command, cli: Cli): void {
  withExamples(command.command('sync').description('bring the index up to date with a folder, or with all'), [
    'svc memory sync ~/notes',
    'svc memory sync',
    'svc memory sync . --json',
  ])
    .argument(
      '[folder]',
      'a folder to index from now on, where you are an administrator; all of them unless given',
    )
    .option(...answers)
    .option('-q, --quiet', 'say nothing unless it fails')
    .action(async (folder: string | undefined, options: Options) =>
      (await import('../memory/sync-memory.ts')).syncMemory(cli, folder, options),
    );
  withExamples(command.command('stats').description('show how much is indexed, and how it is searched'), [
    'svc memory stats',
    'svc memory stats --json',
  ])
    .option(...answers)
    .action(async (options: Options) => (await stats()).showMemoryStats(cli, options));
  withExamples(command.command('watch').description('show whether folders are watched, and follow syncs'), [
    'svc memory watch',
    'svc memory watch --json',
  ])
    .option('--json', 'print the answer of the daemon, and follow nothing')
    .action(async (options: Options) =>
      (await import('../memory/watch-memory.ts')).watchMemory(cli, options),
    );
}

function fillFiles(command: Command, cli: Cli): void {
  withExamples(command.command('files').description('list the indexed files by their paths'), [
    'svc memory files',
    'svc memory files --limit 20 --offset 40',
    'svc memory files --quiet | grep deploy',
  ])
    .option('--limit <n>', 'how many, at most 10000', wholeNumber)
    .option('--offset <n>', 'how many to leave out', wholeNumber)
    .option(...answers)
    .option('-q, --quiet', 'print the paths only')
    .action(async (options: FilesOptions) => (await files()).listIndexedFiles(cli, options));
  withExamples(command.command('show').description('show what the index holds of a file'), [
    'svc memory show notes/deploy.md',
    'svc memory show notes/deploy.md --json',
  ])
    .argument('<path>', 'the file')
    .option(...answers)
    .option(...idsOnly)
    .action(async (path: string, options: Options) => (await files()).showIndexedFile(cli, path, options));
  withExamples(
    command.command('forget').description('remove files or chunks from the index, not the files'),
    ['svc memory forget notes/old.md', 'svc memory forget chunk_12 chunk_13', 'svc memory forget --all'],
  )
    .argument('[what...]', 'files until the next sync of their folder, or chunks until their file changes')
    .option('--all', 'everything that is indexed')
    .option('-y, --yes', 'with --all: do not ask')
    .option(...answers)
    .action(async (what: string[], options: ForgetOptions) =>
      (await import('../memory/forget.ts')).forgetMemory(cli, what, options),
    );
}

function fillSessions(command: Command, cli: Cli): void {
  const group = withExamples(command.command('sessions').description('named stretches of work'), [
    'svc memory sessions ls',
    'svc memory sessions create "the release"',
    'svc memory sessions archive 0199',
  ]);
  withExamples(group.command('ls').description('list memory sessions, newest first'), [
    'svc memory sessions ls',
    'svc memory sessions ls --status active',
  ])
    .option('-s, --status <status>', statuses.join(', '), oneOf(statuses))
    .option('--limit <n>', 'how many, at most 500', wholeNumber)
    .option('--offset <n>', 'how many to leave out', wholeNumber)
    .option(...answers)
    .option(...idsOnly)
    .action(async (options: SessionsOptions) => (await sessions()).listMemorySessions(cli, options));
  withExamples(group.command('create').description('create a memory session'), [
    'svc memory sessions create "the release"',
  ])
    .argument('<name>', 'its name')
    .option('--conversation <id>', 'the conversation that it belongs to')
    .option('--user <id>', "somebody else's, for administrators")
    .option(...answers)
    .action(async (name: string, options: CreateSessionOptions) =>
      (await sessions()).createMemorySession(cli, name, options),
    );
  withExamples(group.command('archive').description('archive memory sessions'), [
    'svc memory sessions archive 0199',
  ])
    .argument('<id...>', idsText)
    .option(...answers)
    .action(async (ids: string[], options: Options) =>
      (await sessions()).archiveMemorySessions(cli, ids, options),
    );
}

function fillPreferences(command: Command, cli: Cli): void {
  const group = withExamples(command.command('preferences').description('what you prefer'), [
    'svc memory preferences ls',
    'svc memory preferences track tests vitest',
    'svc memory preferences rm 0199',
  ]);
  const whose = ['--user <id>', "somebody else's, for administrators"] as const;
  withExamples(group.command('ls').description('list what you prefer, the surest first'), [
    'svc memory preferences ls',
  ])
    .option(...whose)
    .option(...answers)
    .option(...idsOnly)
    .action(async (options: PreferenceOptions) => (await preferences()).listPreferences(cli, options));
  withExamples(group.command('track').description('note what you prefer; the same again makes it surer'), [
    'svc memory preferences track tests vitest',
    'svc memory preferences track answers "short, in English"',
  ])
    .argument('<category>', 'what it is about')
    .argument('<value>', 'what you prefer')
    .option(...whose)
    .option(...answers)
    .action(async (category: string, value: string, options: PreferenceOptions) =>
      (await preferences()).trackPreference(cli, category, value, options),
    );
  withExamples(group.command('rm').description('forget preferences'), ['svc memory preferences rm 0199'])
    .argument('<id...>', idsText)
    .option(...whose)
    .option(...answers)
    .action(async (ids: string[], options: PreferenceOptions) =>
      (await preferences()).removePreferences(cli, ids, options),
    );
}

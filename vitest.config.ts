import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { compileCache } from './test/helpers/compile-cache.ts';
import { isLong } from './test/helpers/long.ts';
import { isPro } from './test/helpers/pro.ts';
import { testsThatImport } from './test/helpers/tests-that-import.ts';

// Threads of a daemon load their sources anew in each test.
Object.assign(process.env, compileCache);

/** What changes or measures its whole process, or needs one in which nothing ran before. */
const alone = [
  'test/rigs/{stop-at-any-moment,years}.test.ts',
  'test/core/agents/adapters/command-adapter-processes.test.ts',
  'test/core/memory/files/{chunk-text,folder-watch,hostile-trees,ignore-rules}.test.ts',
  'test/core/outbound/hostile-answers.test.ts',
  'test/core/processes/sandbox.test.ts',
  'test/core/schedules/cron-times.test.ts',
  'test/core/tools/commands/run-command-floods.test.ts',
  'test/core/tools/mcp/mcp-lifecycle.test.ts',
  'test/daemon/hostile-tools.test.ts',
];
/** More than ten seconds each, mostly because they start many programs and daemons: only in `npm run test:long`, or by name. */
const slow = [
  'test/{ci-examples,packed-files}.test.ts',
  'test/contract/package/client.test.ts',
  'test/rigs/*.test.ts',
  'test/walkthroughs/*.test.ts',
  'test/web/pages-*.test.ts',
  'test/web/{deciding-in-the-inbox,frame-of-the-pages,reading-texts,size-of-the-pages}.test.ts',
  'test/cli/commands/{agents,auth,backup,devices,integrations,schedules,schedules-edit,transfer-and-context,webhooks}.test.ts',
  'test/cli/commands/{daemon/daemon-control,mcp/inspector-as-client,run/shell-of-commands}.test.ts',
  'test/cli/{configuration,outcomes}.test.ts',
  'test/core/backup/restore-cluster.test.ts',
  'test/core/moving/copy-both-ways.test.ts',
  'test/core/providers/streams/answer-parts.test.ts',
  'test/core/storage/postgres/server-away.test.ts',
  'test/core/agent-programs/{agent-waits,chats-of-agents,early-ends,recorded-agents}.test.ts',
  'test/core/agents/adapters/command-adapter-processes.test.ts',
  'test/core/agents/drivers/acp/acp-driver.test.ts',
  'test/core/processes/sandbox.test.ts',
  'test/core/tools/commands/{run-command-floods,sandbox-git}.test.ts',
  'test/core/tools/mcp/{mcp-lifecycle,mcp-stdio}.test.ts',
  'test/core/worktrees/worktree-orphans.test.ts',
  'test/daemon/{backups,candidates,conversations,follow-ups,memory,tasks,versions,workspaces}-of-a-cluster.test.ts',
  'test/daemon/{best-of,best-of-after-restart,follow-ups-of-pull-requests,follow-ups-that-run,hostile-tools,memory-paths,untrusted-publications}.test.ts',
  'test/daemon/{sandboxed-agents,schedules-after-kill,worktrees-of-tasks}.test.ts',
  'test/daemon/routes/{chat-recorded-breaks,memory-embeddings,tasks-pull-requests,tasks-worktrees}.test.ts',
];
/** What a run for mode pro takes: the tests that store something, themselves or through a daemon in their process. */
const usesStorage = isPro ? testsThatImport(['test/helpers/storage.ts', ...startsDaemon()]) : undefined;
/** Those with a case for each right to each route, or for each recorded answer of a model: what they try lies before any storage. */
const isTable = isPro
  ? testsThatImport(['test/daemon/access-table.ts', 'test/helpers/recordings.ts'])
  : undefined;
/** What a cluster has not, and why; a test of a file may say so itself with `skipIf(isPro)`. */
const onlyAlone: Readonly<Record<string, string>> = {
  'test/core/storage/sqlite/*.test.ts': 'the file of SQLite and what may become of it',
  'test/core/retention/upgrade-copy-rule.test.ts': 'copies of that file',
  'test/core/moving/*.test.ts':
    'move that file to PostgreSQL and back, and start a daemon of either kind themselves',
};
if (isPro)
  for (const [pattern, why] of Object.entries(onlyAlone))
    process.stderr.write(`not in mode pro: ${pattern} (${why})\n`);
const isNamed = process.argv.slice(2).some((argument) => argument.startsWith('test/'));
const tests = globSync('test/**/*.test.ts').filter((path) => {
  if (isNamed) return true;
  if (matches(slow, path)) return isLong;
  if (isPro)
    return (
      matches(['test/{core,daemon}/**'], path) &&
      usesStorage?.has(path) === true &&
      isTable?.has(path) === false &&
      !matches(Object.keys(onlyAlone), path)
    );
  return !isLong || readFileSync(path, 'utf8').includes('helpers/long.ts');
});

export default defineConfig({
  test: {
    // The long forms take ten times as much of everything, and a database server answers a hundred times later.
    testTimeout: isLong || isPro ? 180_000 : 60_000,
    // Hooks start daemons, database servers and browsers, on a disk that may be cold.
    hookTimeout: isLong || isPro ? 180_000 : 60_000,
    // What is waited for comes; how soon says something of the machine only.
    expect: { poll: { timeout: 20_000 } },
    // The long forms drive browsers and dozens of programs: one stall of a shared machine is tried again, and the report says so.
    retry: isLong && process.env.CI !== undefined ? 1 : 0,
    // Tests start daemons and programs: more at once than processors only makes them wait for each other.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'alone', include: tests.filter(isAlone), isolate: true } },
      {
        extends: true,
        // The whole house is loaded once per worker and not once per file, which is what most of the time went to.
        test: { name: 'shared', include: tests.filter((path) => !isAlone(path)), isolate: false },
      },
    ],
  },
});

/** Others import only its folders. */
function startsDaemon(): string[] {
  return globSync('test/{core,daemon,helpers}/**/*.ts').filter(
    (path) => path !== 'test/helpers/daemon.ts' && readFileSync(path, 'utf8').includes('startDaemon('),
  );
}

function isAlone(path: string): boolean {
  return matches(alone, path);
}

function matches(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => matchesGlob(path, pattern));
}

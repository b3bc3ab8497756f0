import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { compileCache } from './test/helpers/compile-cache.ts';
import { isLong } from './test/helpers/long.ts';

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
const tests = globSync('test/**/*.test.ts').filter(
  (path) => !isLong || readFileSync(path, 'utf8').includes('helpers/long.ts'),
);

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
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

function isAlone(path: string): boolean {
  return alone.some((pattern) => matchesGlob(path, pattern));
}

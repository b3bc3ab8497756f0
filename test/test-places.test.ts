import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Where a test is found:
 * 1. `test/<path>.test.ts` tests `src/<path>.ts`.
 * 2. Any other test is named after a behaviour, so not like a source of its layer, and lives in the folder of its subject:
 *    `test/<folder>` for `src/<folder>`, `test/daemon` for the daemon as a whole.
 * 3. In `test/daemon/routes` its name begins with the resource: `tasks-import.test.ts`.
 * 4. `test/rigs` holds what kills daemons, `test/walkthroughs` what a person does at a terminal, `test` itself what holds
 *    of the whole house.
 * Helpers are no `.test.ts`, and lie in `test/helpers` or beside their users.
 */
const root = new URL('..', import.meta.url).pathname;
const isThere = (path: string) => existsSync(`${root}${path}`);
const nameOf = (path: string) => basename(path).replace(/(\.test)?\.tsx?$/, '');
const layerOf = (path: string) => path.split('/')[1] ?? '';

const sources = globSync('src/**/*.{ts,tsx}', { cwd: root });
const tests = globSync('test/**/*.test.{ts,tsx}', { cwd: root });
const resources = sources.filter((path) => path.startsWith('src/daemon/routes/')).map(nameOf);

/** What is wrong with the place of a test, in a sentence; undefined where nothing is. */
function complaint(test: string): string | undefined {
  const folder = dirname(test);
  if (['test', 'test/rigs', 'test/walkthroughs'].includes(folder)) return undefined;
  const mirrored = test.replace(/^test/, 'src').replace(/\.test\.tsx?$/, '');
  if (isThere(`${mirrored}.ts`) || isThere(`${mirrored}.tsx`)) return undefined;
  const namesake = sources.find((path) => nameOf(path) === nameOf(test) && layerOf(path) === layerOf(test));
  if (namesake)
    return `${test} is named after ${namesake}: move it to the same path, or name it after a behaviour`;
  if (!isThere(dirname(mirrored)))
    return `${test} lives in no folder of its subject: there is no ${dirname(mirrored)}`;
  if (
    folder === 'test/daemon/routes' &&
    !resources.some((resource) => nameOf(test).startsWith(`${resource}-`))
  )
    return `${test} has to begin with its resource, such as tasks-${nameOf(test)}`;
  return undefined;
}

describe('the tests', () => {
  it('are found by the name of their subject', () => {
    expect(tests.length).toBeGreaterThan(300);
    expect(tests.flatMap((test) => complaint(test) ?? [])).toEqual([]);
  });

  it('would be missed at a wrong place', () => {
    expect(complaint('test/core/tasks/memory-queue.test.ts')).toContain('src/core/queue/memory-queue.ts');
    expect(complaint('test/core/chores/fun.test.ts')).toContain('there is no src/core/chores');
    expect(complaint('test/daemon/routes/odd-answers.test.ts')).toContain('its resource');
    expect(complaint('test/core/storage/sqlite/full-disk.test.ts')).toBeUndefined();
  });

  it('are all in files that the runner takes', () => {
    const found = globSync('test/**/*.{ts,tsx}', { cwd: root }).filter(
      (path) =>
        !path.endsWith('.test.ts') && /^(describe|it|test)[.(]/m.test(readFileSync(`${root}${path}`, 'utf8')),
    );
    expect(found).toEqual([]);
  });

  it('have no file over 400 lines', () => {
    const long = globSync('test/**/*.ts', { cwd: root }).filter(
      (path) => readFileSync(`${root}${path}`, 'utf8').trimEnd().split('\n').length > 400,
    );
    expect(long).toEqual([]);
  });
});

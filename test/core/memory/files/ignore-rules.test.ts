import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IgnoreRules } from '../../../../src/core/memory/files/ignore-rules.ts';
import { createIndexedTree } from './indexed-tree.ts';
import { sized } from '../../../helpers/long.ts';

/** What git itself would let in of these files, as it lists files that are not tracked. */
function listedByGit(files: Map<string, string>): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'svc-git-'));
  try {
    const environment = { PATH: process.env['PATH'], HOME: directory, GIT_CONFIG_NOSYSTEM: '1' };
    execFileSync('git', ['init', '-q', directory], { env: environment });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    const listed = execFileSync('git', ['-C', directory, 'ls-files', '-zo', '--exclude-standard'], {
      env: environment,
    });
    return listed.toString('utf8').split('\0').filter(Boolean).sort();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const name = fc.constantFrom('a', 'b', 'c.log', 'd.md', '[x]', 'e f', '!g', '#h', 'A');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/', '!/', '**/'),
    fc.array(
      fc.oneof(
        name,
        fc.constantFrom('*', '**', '?', '*.log', '[ab]', '[!a]', '\\[x\\]', '\\!g', '\\#h', 'a*'),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    fc.constantFrom('', '', '/', '/**', '/*', ' ', '\\ '),
  )
  .map(([start, names, end]) => start + names.join('/') + end);
const rules = fc.array(pattern, { maxLength: 4 }).map((lines) => lines.join('\n'));

describe.skipIf(spawnSync('git', ['--version']).status !== 0)('ignore rules beside git', () => {
  it('ignores the same files as git for any rules at any level', { timeout: 180_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(fc.array(name, { maxLength: 2 }), rules), { maxLength: 4 }),
        async (paths, ruleFiles) => {
          const files = new Map<string, string>();
          const directories = new Set<string>(['']);
          for (const at of paths) {
            // One name cannot be a file and a folder.
            const names = at.split('/');
            const above = names.slice(0, -1).map((_, depth) => names.slice(0, depth + 1).join('/'));
            if (above.some((directory) => files.has(directory)) || directories.has(at)) continue;
            for (const directory of above) directories.add(directory);
            files.set(at, 'text\n');
          }
          for (const [names, text] of ruleFiles) {
            const directory = names.join('/');
            if (directories.has(directory)) files.set(`${directory ? `${directory}/` : ''}.gitignore`, text);
          }
          using world = createIndexedTree();
          mkdirSync(world.at('.git'));
          for (const [at, text] of files) world.write(at, text);
          await world.syncDirectory();
          expect(world.paths().sort()).toEqual(listedByGit(files));
        },
      ),
      { numRuns: sized(10, 50) },
    );
  });
});

describe('ignore rules', () => {
  it('stays fast with hostile patterns and paths', () => {
    const deep = `/top/${'a/'.repeat(900)}b`;
    const hostile = `${'**/a/'.repeat(40)}c\n${'*a'.repeat(60)}c\n!${'**/a/'.repeat(40)}**/b`;
    const before = process.cpuUsage();
    const made = IgnoreRules.below('/top').with('/top', hostile);
    expect(made?.ignores(deep, false)).toBe(false);
    expect(made?.ignores(`/top/${'a'.repeat(255)}`, false)).toBe(false);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
  });

  it('rejects too many nested rule files', () => {
    let made: IgnoreRules | undefined = IgnoreRules.below('/top');
    let levels = 0;
    for (let directory = '/top'; made && levels < 1000; directory += '/a', levels++)
      made = made.with(directory, '*.log');
    expect(levels).toBeLessThan(100);
    expect(IgnoreRules.below('/top').with('/top', 'a\n'.repeat(100_000))).toBeUndefined();
  });
});

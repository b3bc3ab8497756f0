import { describe, expect, it } from 'vitest';
import { grepTool } from '../../../../src/core/tools/files/grep.ts';
import { MAX_OUTPUT } from '../../../../src/core/tools/tool.ts';
import { runTool } from '../guarded-calls.ts';
import { canary, plantTree, type TestTree } from '../test-tree.ts';

async function plantFiles(): Promise<TestTree> {
  const tree = await plantTree();
  await tree.write('a.ts', 'one\ntwo\nthree\nfour\nfive\n');
  await tree.write('src/b.ts', 'Two\r\ntwo two\r\n');
  await tree.write('src/c.md', 'x\ntwo\n');
  await tree.write('node_modules/x/d.ts', 'two\n');
  await tree.write('.git/config', 'two\n');
  await tree.write('binary', 'two\0');
  await tree.link(`${tree.outside}/secret.txt`, 'link.txt');
  await tree.link(tree.outside, 'out');
  return tree;
}

const grep = async (tree: TestTree, args: Record<string, unknown>) =>
  (await runTool(grepTool, args, { workspace: tree.workspace })).split('\n');

describe('grep', () => {
  it.each<[Record<string, unknown>, string[]]>([
    [{ pattern: 'two' }, ['a.ts:2:two', 'src/b.ts:2:two two', 'src/c.md:2:two']],
    [{ pattern: 'two$' }, ['a.ts:2:two', 'src/b.ts:2:two two', 'src/c.md:2:two']],
    [{ pattern: '^T' }, ['src/b.ts:1:Two']],
    [{ pattern: '^t', ignoreCase: true, path: 'src/b.ts' }, ['src/b.ts:1:Two', 'src/b.ts:2:two two']],
    [{ pattern: '(?i)^tw', path: 'src/b.ts' }, ['src/b.ts:1:Two', 'src/b.ts:2:two two']],
    [{ pattern: '\\p{Lu}' }, ['src/b.ts:1:Two']],
    [{ pattern: 'two', glob: '*.md' }, ['src/c.md:2:two']],
    [{ pattern: 'two', glob: 'b.*', path: 'src' }, ['src/b.ts:2:two two']],
    [{ pattern: 'two', path: 'node_modules' }, ['node_modules/x/d.ts:1:two']],
    [{ pattern: 'two', path: 'a.ts' }, ['a.ts:2:two']],
    [{ pattern: canary }, ['(No line matches)']],
    [
      { pattern: 'o', path: 'a.ts', context: 1 },
      ['a.ts:1:one', 'a.ts:2:two', 'a.ts-3-three', 'a.ts:4:four', 'a.ts-5-five'],
    ],
    [
      { pattern: 'one|five', path: 'a.ts', context: 1 },
      ['a.ts:1:one', 'a.ts-2-two', '--', 'a.ts-4-four', 'a.ts:5:five'],
    ],
  ])('grep finds %j', async (args, found) => {
    await using tree = await plantFiles();
    expect(await grep(tree, args)).toEqual(found);
  });

  it('grep does not read files that the guards protect', async () => {
    await using tree = await plantFiles();
    const scope = { mayRead: (path: string) => !path.endsWith('.md') && !path.endsWith('/src/b.ts') };
    expect(await runTool(grepTool, { pattern: 'two' }, { workspace: tree.workspace, scope })).toBe(
      'a.ts:2:two',
    );
  });

  it('shows the part of a long line around the match', async () => {
    await using tree = await plantTree();
    await tree.write('min.js', `${'x'.repeat(9000)}NEEDLE${'y'.repeat(9000)}`);
    const [line = ''] = await grep(tree, { pattern: 'NEEDLE' });
    expect(line).toContain('xNEEDLEy');
    expect(line.length).toBeLessThan(500);
  });

  it('grep stops when the output is full, with a note', async () => {
    await using tree = await plantTree();
    for (const name of ['a', 'b', 'c']) await tree.write(name, `${'hit '.repeat(50)}\n`.repeat(900));
    const answer = await runTool(grepTool, { pattern: 'hit' }, { workspace: tree.workspace });
    expect(answer.length).toBeLessThanOrEqual(MAX_OUTPUT);
    expect(answer).toContain('(There are more.');
  });

  it('grep skips large files in a directory, but searches one that is named', async () => {
    await using tree = await plantTree();
    await tree.write('large.log', `${'x\n'.repeat(3 * 1024 * 1024)}needle\n`);
    expect(await grep(tree, { pattern: 'needle' })).toEqual([
      '(No line matches)',
      '(1 files over 4 MiB were left out. Name one with path)',
    ]);
    expect(await grep(tree, { pattern: 'needle', path: 'large.log' })).toEqual(['large.log:3145729:needle']);
  });

  it.each([
    ['(', 'not a regular expression'],
    ['a{2,1}', 'not a regular expression'],
  ])('refuses the invalid pattern %s', async (pattern, reason) => {
    await using tree = await plantFiles();
    await expect(grep(tree, { pattern })).rejects.toThrow(reason);
  });

  it('keeps the event loop free during a catastrophic pattern, and stops when the call is cancelled', async () => {
    await using tree = await plantTree();
    await tree.write('trap.txt', `${'a'.repeat(40)}b\n`);
    const cancel = new AbortController();
    let turns = 0;
    const turning = setInterval(() => {
      if (++turns === 20) cancel.abort(new Error('cancelled'));
    }, 5);
    const how = { workspace: tree.workspace, context: { signal: cancel.signal } };
    await expect(runTool(grepTool, { pattern: '^(a+)+$' }, how)).rejects.toThrow('cancelled');
    clearInterval(turning);
  });
});

import { describe, expect, it } from 'vitest';
import { searchFilesTool } from '../../../../src/core/tools/files/search-files.ts';
import { MAX_OUTPUT } from '../../../../src/core/tools/tool.ts';
import { runTool } from '../guarded-calls.ts';
import { plantTree, type TestTree } from '../test-tree.ts';

async function plantFiles(): Promise<TestTree> {
  const tree = await plantTree();
  for (const path of [
    'a.ts',
    'src/b.ts',
    'src/b.test.ts',
    'src/deep/c.tsx',
    'src/.hidden/d.ts',
    'docs/e f.md',
    'node_modules/x/index.ts',
    '.git/config.ts',
    'src.ts/f.txt',
  ])
    await tree.write(path);
  await tree.link(tree.outside, 'out');
  await tree.link(`${tree.outside}/secret.txt`, 'link.ts');
  return tree;
}

const search = async (tree: TestTree, args: Record<string, unknown>) =>
  (await runTool(searchFilesTool, args, { workspace: tree.workspace })).split('\n');

describe('search_files', () => {
  it.each<[Record<string, unknown>, string[]]>([
    [{ pattern: '*.ts' }, ['a.ts', 'src/.hidden/d.ts', 'src/b.test.ts', 'src/b.ts']],
    [{ pattern: 'src/*.ts' }, ['src/b.test.ts', 'src/b.ts']],
    [{ pattern: '**/*.{tsx,md}' }, ['docs/e f.md', 'src/deep/c.tsx']],
    [{ pattern: './src/**/c.*' }, ['src/deep/c.tsx']],
    [{ pattern: '*.ts', path: 'src' }, ['src/.hidden/d.ts', 'src/b.test.ts', 'src/b.ts']],
    [{ pattern: 'deep/*', path: 'src' }, ['src/deep/c.tsx']],
    [{ pattern: 'node_modules/**/*.ts' }, ['node_modules/x/index.ts']],
    [{ pattern: '*.ts', path: 'node_modules' }, ['node_modules/x/index.ts']],
    [{ pattern: '**/.git/*' }, ['.git/config.ts']],
    [{ pattern: 'secret*' }, ['(No file matches secret*)']],
    [{ pattern: 'B.ts' }, ['(No file matches B.ts)']],
  ])('search_files finds %j', async (args, found) => {
    await using tree = await plantFiles();
    expect(await search(tree, args)).toEqual(found);
  });

  it('search_files does not enter directories that the guards protect', async () => {
    await using tree = await plantFiles();
    const scope = { mayRead: (path: string) => !path.endsWith('/deep') };
    const how = { workspace: tree.workspace, scope };
    expect(await runTool(searchFilesTool, { pattern: '*.tsx' }, how)).toBe('(No file matches *.tsx)');
  });

  it('search_files stops when the output is full, with a note', async () => {
    await using tree = await plantTree();
    for (let at = 0; at < 1100; at++) await tree.write(`many/${'x'.repeat(90)}${at}`, '');
    const answer = await runTool(searchFilesTool, { pattern: 'x*' }, { workspace: tree.workspace });
    expect(answer.length).toBeLessThanOrEqual(MAX_OUTPUT);
    expect(answer).toContain('(There are more.');
  });

  it('search_files stops when the call is cancelled', async () => {
    await using tree = await plantFiles();
    const context = { signal: AbortSignal.abort(new Error('cancelled')) };
    await expect(
      runTool(searchFilesTool, { pattern: '*' }, { workspace: tree.workspace, context }),
    ).rejects.toThrow('cancelled');
  });
});

import { execFileSync } from 'node:child_process';
import { rename, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { listDirectoryTool } from '../../../../src/core/tools/files/list-directory.ts';
import { MAX_OUTPUT } from '../../../../src/core/tools/tool.ts';
import { runTool } from '../guarded-calls.ts';
import { plantTree } from '../test-tree.ts';

describe('list_directory', () => {
  it('lists each entry with its kind, sorted, without following links', async () => {
    await using tree = await plantTree();
    await tree.write('b.txt', '12345');
    await tree.write('a/deep.txt');
    await tree.link(tree.outside, 'out');
    await tree.link('nowhere', 'dangling');
    await tree.write('line\nbreak', '');
    execFileSync('mkfifo', [`${tree.workspace}/pipe`]);
    const answer = await runTool(listDirectoryTool, {}, { workspace: tree.workspace });
    expect(answer.split('\n')).toEqual([
      'folder a/',
      'file 5 b.txt',
      'link dangling -> nowhere',
      'file 0 line\\u{a}break',
      `link out -> ${tree.outside}`,
      'other pipe',
    ]);
  });

  it('explains how to see the remaining entries of a large directory', async () => {
    await using tree = await plantTree();
    for (let at = 0; at < 1100; at++) await tree.write(`many/${'x'.repeat(100)}${at}`, '');
    const answer = await runTool(listDirectoryTool, { path: 'many' }, { workspace: tree.workspace });
    expect(answer.length).toBeLessThanOrEqual(MAX_OUTPUT);
    expect(answer).toMatch(/\(\d+ of 1100 entries\. To see others, use search_files/);
  });

  it.each([
    ['missing', 'There is no missing'],
    ['file.txt', 'is a file, not a folder'],
  ])('list_directory reports what is wrong with %s', async (path, reason) => {
    await using tree = await plantTree();
    await tree.write('file.txt');
    await expect(runTool(listDirectoryTool, { path }, { workspace: tree.workspace })).rejects.toThrow(reason);
  });

  it('reports that a directory is empty', async () => {
    await using tree = await plantTree();
    expect(await runTool(listDirectoryTool, {}, { workspace: tree.workspace })).toBe('(The folder is empty)');
  });

  it('refuses a directory that became a link after the guards checked it', async () => {
    await using tree = await plantTree();
    await tree.write('deep/a.txt');
    const meanwhile = async () => {
      await rename(`${tree.workspace}/deep`, `${tree.workspace}/old`);
      await symlink(tree.outside, `${tree.workspace}/deep`);
    };
    await expect(
      runTool(listDirectoryTool, { path: 'deep' }, { workspace: tree.workspace, meanwhile }),
    ).rejects.toThrow();
  });
});

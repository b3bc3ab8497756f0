import { chmod, readdir, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { editFileTool } from '../../../../src/core/tools/files/edit-file.ts';
import { runTool } from '../guarded-calls.ts';
import { plantTree } from '../test-tree.ts';

/** The output and the text of the file after an edit of this content. */
async function edit(content: string | Uint8Array, args: Record<string, unknown>) {
  await using tree = await plantTree();
  await tree.write('file.txt', content as string);
  const answer = await runTool(editFileTool, { path: 'file.txt', ...args }, { workspace: tree.workspace });
  return { answer, text: await tree.read('file.txt') };
}

describe('edit_file', () => {
  it.each<[string, string, Record<string, unknown>, string, string]>([
    ['the only occurrence', 'a\nb\nc\n', { oldText: 'b', newText: 'x' }, 'a\nx\nc\n', 'line 2'],
    ['a text over several lines', 'a\nb\nc\n', { oldText: 'a\nb', newText: 'x' }, 'x\nc\n', 'line 1'],
    ['a text by nothing', 'a\nb\n', { oldText: 'b\n', newText: '' }, 'a\n', 'line 2'],
    [
      'every occurrence',
      'a a\nb\na',
      { oldText: 'a', newText: 'x', replaceAll: true },
      'x x\nb\nx',
      'lines 1, 1, 3',
    ],
    ['a text that would be a pattern', 'a.b', { oldText: 'a.b', newText: '$& $1' }, '$& $1', 'line 1'],
    [
      'a text in a file with CRLF',
      'a\r\nb\r\n',
      { oldText: 'a\nb', newText: 'x\ny\nz' },
      'x\r\ny\r\nz\r\n',
      'line 1',
    ],
    [
      'a text in a file with mixed line endings',
      'a\r\nb\nc',
      { oldText: 'b\n', newText: 'x\n' },
      'a\r\nx\nc',
      'line 2',
    ],
    ['a text after a byte order mark', '\uFEFFa', { oldText: 'a', newText: 'b' }, '\uFEFFb', 'line 1'],
  ])('edit_file replaces %s', async (_, content, args, text, where) => {
    const edited = await edit(content, args);
    expect(edited.text).toBe(text);
    expect(edited.answer).toBe(`Replaced the text in file.txt on ${where}`);
  });

  it.each<[string, string | Uint8Array, Record<string, unknown>, string]>([
    ['a text that is missing', 'a', { oldText: 'b', newText: 'c' }, 'oldText is not in file.txt. Read'],
    [
      'a text that differs in white space',
      'x\n\tif (a)  \n\t\tb\n',
      { oldText: '  if (a)\n    b', newText: 'c' },
      'line 2 differs only in white space',
    ],
    [
      'one of several occurrences',
      'a\na\na',
      { oldText: 'a', newText: 'c' },
      'oldText is 3 times in file.txt, on lines 1, 2, 3',
    ],
    ['a text by itself', 'a', { oldText: 'a', newText: 'a' }, 'are the same'],
    ['text in a binary file', Uint8Array.of(65, 0), { oldText: 'A', newText: 'a' }, 'is a binary file'],
    [
      'text in a file that is not UTF-8',
      Uint8Array.of(65, 0xff),
      { oldText: 'A', newText: 'a' },
      'is not UTF-8',
    ],
  ])('edit_file does not replace %s', async (_, content, args, reason) => {
    await expect(edit(content, args)).rejects.toThrow(reason);
  });

  it('keeps the mode and leaves no other files behind', async () => {
    await using tree = await plantTree();
    const path = await tree.write('run.sh', 'a');
    await chmod(path, 0o750);
    await runTool(
      editFileTool,
      { path: 'run.sh', oldText: 'a', newText: 'b' },
      { workspace: tree.workspace },
    );
    expect((await stat(path)).mode & 0o777).toBe(0o750);
    expect(await readdir(tree.workspace)).toEqual(['run.sh']);
  });

  it('refuses to edit files in a .git folder', async () => {
    await using tree = await plantTree();
    await tree.write('.git/config', 'a');
    const args = { path: '.git/config', oldText: 'a', newText: 'b' };
    await expect(runTool(editFileTool, args, { workspace: tree.workspace })).rejects.toThrow('.git folder');
    expect(await tree.read('.git/config')).toBe('a');
  });
});

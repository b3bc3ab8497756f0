import { rename, rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readFileTool } from '../../../../src/core/tools/files/read-file.ts';
import { MAX_OUTPUT } from '../../../../src/core/tools/tool.ts';
import { runTool } from '../guarded-calls.ts';
import { plantTree } from '../test-tree.ts';

/** The output of read_file for a file with this content. */
async function read(content: string | Uint8Array, args: Record<string, unknown> = {}) {
  await using tree = await plantTree();
  await tree.write('file.txt', content as string);
  return await runTool(readFileTool, { path: 'file.txt', ...args }, { workspace: tree.workspace });
}
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');

describe('read_file', () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    ['all lines with their numbers', 'a\nb\n', {}, '1\ta\n2\tb'],
    ['a last line without an end', 'a\nb', {}, '1\ta\n2\tb'],
    ['empty lines', '\n\na\n', {}, '1\t\n2\t\n3\ta'],
    ['lines that end in CRLF', 'a\r\nb\r\n', {}, '1\ta\n2\tb'],
    ['a file without its byte order mark', '\uFEFFa\n', {}, '1\ta'],
    ['characters of every width', 'ä€😀\n', {}, '1\tä€😀'],
    ['lines from an offset', lines(5), { offset: 4 }, '4\tline 4\n5\tline 5'],
    [
      'as many lines as requested',
      lines(5),
      { offset: 2, limit: 2 },
      '2\tline 2\n3\tline 3\n(There is more. Continue with offset 4)',
    ],
    ['the last lines, without a note on more', lines(3), { offset: 2, limit: 2 }, '2\tline 2\n3\tline 3'],
    ['a note for an empty file', '', {}, '(The file is empty)'],
    [
      'the beginning of a long line',
      `${'x'.repeat(5000)}\nb\n`,
      {},
      `1\t${'x'.repeat(2000)}… (cut, the line has 5000 characters)\n2\tb`,
    ],
  ])('read_file returns %s', async (_, content, args, answer) => {
    expect(await read(content, args)).toBe(answer);
  });

  it('returns a long file in parts that join without a gap', async () => {
    await using tree = await plantTree();
    const text = Array.from({ length: 9000 }, (_, at) => `${at} ${'é'.repeat(at % 40)}`);
    await tree.write('long.txt', text.join('\n'));
    const seen: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined;) {
      const answer: string = await runTool(
        readFileTool,
        { path: 'long.txt', offset },
        { workspace: tree.workspace },
      );
      expect(answer.length).toBeLessThanOrEqual(MAX_OUTPUT);
      seen.push(...answer.split('\n').filter((line) => /^\d+\t/.test(line)));
      const next: string | undefined = /Continue with offset (\d+)/.exec(answer)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen).toEqual(text.map((line, at) => `${at + 1}\t${line}`));
  });

  it.each<[string, Uint8Array, string]>([
    ['zeros', Uint8Array.of(65, 0, 66), 'is a binary file'],
    ['bytes that are not UTF-8', Uint8Array.of(65, 0xff, 66), 'is not UTF-8'],
    ['half a character at the end', Uint8Array.of(65, 0xe2, 0x82), 'is not UTF-8'],
  ])('read_file refuses %s', async (_, content, reason) => {
    await expect(read(content)).rejects.toThrow(reason);
  });

  it('refuses an offset after the end of the file', async () => {
    await expect(read('a\n', { offset: 5 })).rejects.toThrow('has only 1 lines');
  });

  it.each([
    ['nothing.txt', 'There is no nothing.txt'],
    ['.', 'is a folder'],
    ['file.txt/x', 'is a file, not a folder'],
  ])('read_file reports what is wrong with %s', async (path, reason) => {
    await using tree = await plantTree();
    await tree.write('file.txt');
    await expect(runTool(readFileTool, { path }, { workspace: tree.workspace })).rejects.toThrow(reason);
  });

  it('refuses a link that appeared after the guards checked the path', async () => {
    await using tree = await plantTree();
    await tree.write('secret.txt');
    await tree.write('deep/secret.txt');
    const swapFile = async () => {
      await rm(`${tree.workspace}/secret.txt`);
      await symlink(`${tree.outside}/secret.txt`, `${tree.workspace}/secret.txt`);
    };
    const swapDirectory = async () => {
      await rename(`${tree.workspace}/deep`, `${tree.workspace}/old`);
      await symlink(`${tree.outside}/deep`, `${tree.workspace}/deep`);
    };
    const how = { workspace: tree.workspace };
    await expect(
      runTool(readFileTool, { path: 'secret.txt' }, { ...how, meanwhile: swapFile }),
    ).rejects.toThrow('secret.txt was replaced by a symbolic link');
    await expect(
      runTool(readFileTool, { path: 'deep/secret.txt' }, { ...how, meanwhile: swapDirectory }),
    ).rejects.toThrow('was replaced');
  });
});

import { readdir, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { replaceFile } from '../../../../src/core/tools/files/replace-file.ts';
import { plantTree } from '../test-tree.ts';

describe('replaceFile', () => {
  it('refuses a file that changed since it was read', async () => {
    await using tree = await plantTree();
    const path = await tree.write('a.txt', 'mine');
    const before = await stat(path, { bigint: true });
    await writeFile(path, 'theirs');
    await expect(replaceFile(path, 'new', { before })).rejects.toThrow('has changed since it was read');
    expect(await tree.read('a.txt')).toBe('theirs');
    expect(await readdir(tree.workspace)).toEqual(['a.txt']);
  });

  it('refuses a file that was removed since it was read', async () => {
    await using tree = await plantTree();
    const before = await stat(await tree.write('a.txt', 'mine'), { bigint: true });
    await expect(replaceFile(`${tree.workspace}/b.txt`, 'new', { before })).rejects.toThrow(
      'has changed since it was read',
    );
  });

  it('creates the same directories for concurrent writes', async () => {
    await using tree = await plantTree();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => replaceFile(`${tree.workspace}/x/y/z/${name}`, name)));
    expect((await readdir(`${tree.workspace}/x/y/z`)).sort()).toEqual(names);
  });

  it('new files and directories are as open as those of other programs, although the files of svc are private', async () => {
    await using tree = await plantTree();
    const before = process.umask(0o077);
    try {
      await replaceFile(`${tree.workspace}/x/y/a.txt`, 'text');
    } finally {
      process.umask(before);
    }
    const modeOf = async (path: string) =>
      ((await stat(`${tree.workspace}/${path}`)).mode & 0o777).toString(8);
    expect(await Promise.all(['x', 'x/y', 'x/y/a.txt'].map(modeOf))).toEqual(['755', '755', '644']);
  });

  it('keeps one complete content after concurrent writes', async () => {
    await using tree = await plantTree();
    const texts = ['1', '2', '3', '4'].map((digit) => digit.repeat(200_000));
    await Promise.all(texts.map((text) => replaceFile(`${tree.workspace}/a.txt`, text)));
    expect(texts).toContain(await tree.read('a.txt'));
    expect(await readdir(tree.workspace)).toEqual(['a.txt']);
  });
});

import { readdir, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { replaceFile } from '../../../../src/core/tools/files/replace-file.ts';
import { plantTree } from '../test-tree.ts';

describe('replacing a file', () => {
  it('is refused when somebody changed it since', async () => {
    await using tree = await plantTree();
    const place = await tree.write('a.txt', 'mine');
    const before = await stat(place, { bigint: true });
    await writeFile(place, 'theirs');
    await expect(replaceFile(place, 'new', before)).rejects.toThrow('changed by somebody else');
    expect(await tree.read('a.txt')).toBe('theirs');
    expect(await readdir(tree.workspace)).toEqual(['a.txt']);
  });

  it('is refused when it is gone since', async () => {
    await using tree = await plantTree();
    const before = await stat(await tree.write('a.txt', 'mine'), { bigint: true });
    await expect(replaceFile(`${tree.workspace}/b.txt`, 'new', before)).rejects.toThrow(
      'changed by somebody else',
    );
  });

  it('makes the same folders for several files at once', async () => {
    await using tree = await plantTree();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => replaceFile(`${tree.workspace}/x/y/z/${name}`, name)));
    expect((await readdir(`${tree.workspace}/x/y/z`)).sort()).toEqual(names);
  });

  it('leaves one of the contents, whole, when many write at once', async () => {
    await using tree = await plantTree();
    const texts = ['1', '2', '3', '4'].map((digit) => digit.repeat(200_000));
    await Promise.all(texts.map((text) => replaceFile(`${tree.workspace}/a.txt`, text)));
    expect(texts).toContain(await tree.read('a.txt'));
    expect(await readdir(tree.workspace)).toEqual(['a.txt']);
  });
});

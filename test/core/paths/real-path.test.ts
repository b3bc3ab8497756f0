import { realpath } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside, realPlace } from '../../../src/core/paths/real-path.ts';
import { plantTree } from '../tools/test-tree.ts';
import { sized } from '../../helpers/long.ts';

async function plantLinks() {
  const tree = await plantTree();
  await tree.write('src/a.ts');
  await tree.link('src', 'inner');
  await tree.link(tree.outside, 'out');
  await tree.link('../../outside', 'src/up');
  await tree.link(`${tree.outside}/secret.txt`, 'file-out');
  await tree.link(`${tree.outside}/not-there/new.txt`, 'dangling');
  await tree.link('../not-there.txt', 'src/dangling-inside');
  await tree.link('out', 'chain');
  await tree.link('loop-b', 'loop-a');
  await tree.link('loop-a', 'loop-b');
  return tree;
}

describe('the real place of a path', () => {
  it.each<[string, string]>([
    ['src/a.ts', 'work/space/src/a.ts'],
    ['./src//a.ts', 'work/space/src/a.ts'],
    ['.', 'work/space'],
    ['src/', 'work/space/src'],
    ['new/deep/file.txt', 'work/space/new/deep/file.txt'],
    ['inner/a.ts', 'work/space/src/a.ts'],
    ['inner/new.ts', 'work/space/src/new.ts'],
    ['out', 'outside'],
    ['out/secret.txt', 'outside/secret.txt'],
    ['out/new/file', 'outside/new/file'],
    ['chain/deep/secret.txt', 'outside/deep/secret.txt'],
    ['src/up', 'work/outside'],
    ['file-out', 'outside/secret.txt'],
    ['dangling', 'outside/not-there/new.txt'],
    ['inner/dangling-inside', 'work/space/not-there.txt'],
    ['../space/src', 'work/space/src'],
    ['src/../../x', 'work/x'],
    // The parent of a linked folder is where the link leads, not where it stands.
    ['out/deep/..', 'outside'],
    ['out/..', ''],
    ['new/../src/a.ts', 'work/space/src/a.ts'],
    ['new/../out/secret.txt', 'outside/secret.txt'],
    ['src/a.ts/below', 'work/space/src/a.ts/below'],
    [`${'x'.repeat(300)}/a`, `work/space/${'x'.repeat(300)}/a`],
  ])('of %s is %s', async (path, place) => {
    await using tree = await plantLinks();
    expect(await realPlace(tree.workspace, path)).toBe(place === '' ? tree.root : `${tree.root}/${place}`);
  });

  it('of an absolute path starts at the root', async () => {
    await using tree = await plantLinks();
    expect(await realPlace(tree.workspace, `${tree.workspace}/out/secret.txt`)).toBe(
      `${tree.outside}/secret.txt`,
    );
  });

  it.each([
    ['', 'empty'],
    ['a\0b', 'NUL'],
    ['a\ud800', 'half of a character'],
    ['~', 'not known'],
    ['~/x', 'not known'],
    ['file:///etc/passwd', 'file: URL'],
    ['FILE:/etc/passwd', 'file: URL'],
    ['x'.repeat(5000), 'too long'],
    ['loop-a', 'Too many links'],
    ['loop-b/x', 'Too many links'],
  ])('is refused for %j', async (path, reason) => {
    await using tree = await plantLinks();
    await expect(realPlace(tree.workspace, path)).rejects.toThrow(reason);
  });

  it('is what the system says of all that is there', async () => {
    await using tree = await plantLinks();
    const segment = fc.constantFrom(
      '.',
      '..',
      'src',
      'inner',
      'out',
      'deep',
      'up',
      'chain',
      'a.ts',
      'file-out',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 6 }), async (segments) => {
        const path = segments.join('/');
        const system = await realpath(`${tree.workspace}/${path}`).catch(() => undefined);
        if (system !== undefined) expect(await realPlace(tree.workspace, path)).toBe(system);
      }),
      { numRuns: sized(60, 300) },
    );
  });
});

it.each<[string, string, boolean]>([
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a', '/ab', false],
  ['/a/b', '/a', false],
  ['/', '/x', true],
])('inside %s is %s: %s', (folder, place, expected) => {
  expect(isInside(folder, place)).toBe(expected);
});

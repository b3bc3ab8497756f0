import { realpath } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside, resolveRealPath } from '../../../src/core/paths/real-path.ts';
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

describe('resolveRealPath', () => {
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
    // The parent of a linked directory is the parent of its target, not of the link.
    ['out/deep/..', 'outside'],
    ['out/..', ''],
    ['new/../src/a.ts', 'work/space/src/a.ts'],
    ['new/../out/secret.txt', 'outside/secret.txt'],
    ['src/a.ts/below', 'work/space/src/a.ts/below'],
    [`${'x'.repeat(300)}/a`, `work/space/${'x'.repeat(300)}/a`],
  ])('resolves %s to %s', async (path, expected) => {
    await using tree = await plantLinks();
    expect(await resolveRealPath(tree.workspace, path)).toBe(
      expected === '' ? tree.root : `${tree.root}/${expected}`,
    );
  });

  it('resolves an absolute path from the root', async () => {
    await using tree = await plantLinks();
    expect(await resolveRealPath(tree.workspace, `${tree.workspace}/out/secret.txt`)).toBe(
      `${tree.outside}/secret.txt`,
    );
  });

  it.each([
    ['', 'empty'],
    ['a\0b', 'NUL'],
    ['a\ud800', 'unpaired surrogate'],
    ['~', 'not supported'],
    ['~/x', 'not supported'],
    ['file:///etc/passwd', 'file: URL'],
    ['FILE:/etc/passwd', 'file: URL'],
    ['x'.repeat(5000), 'too long'],
    ['loop-a', 'Too many symbolic links'],
    ['loop-b/x', 'Too many symbolic links'],
  ])('refuses %j', async (path, reason) => {
    await using tree = await plantLinks();
    await expect(resolveRealPath(tree.workspace, path)).rejects.toThrow(reason);
  });

  it('agrees with the realpath of the system for every existing path', async () => {
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
        if (system !== undefined) expect(await resolveRealPath(tree.workspace, path)).toBe(system);
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
])('reports for the directory %s and the path %s whether it is inside: %s', (directory, path, expected) => {
  expect(isInside(directory, path)).toBe(expected);
});

import { execFileSync } from 'node:child_process';
import { readdir, rename, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { DESCRIPTORS, openVerified, openVerifiedDirectory } from '../../../src/core/paths/open-verified.ts';
import { canary, plantTree } from '../tools/test-tree.ts';
import { sized } from '../../helpers/long.ts';

const nowhere = '/no/descriptors';

describe.each([
  ['by descriptor', DESCRIPTORS],
  ['by path, without descriptor links', nowhere],
])('a path verified %s', (_, descriptors) => {
  it('opens a regular file', async () => {
    await using tree = await plantTree();
    await using file = await openVerified(await tree.write('src/a.txt', 'mine'), descriptors);
    expect(await file.readFile('utf8')).toBe('mine');
  });

  it('refuses a symbolic link', async () => {
    await using tree = await plantTree();
    const link = await tree.link(`${tree.outside}/secret.txt`, 'link');
    await expect(openVerified(link, descriptors)).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('refuses a path below a directory that became a link', async () => {
    await using tree = await plantTree();
    const path = await tree.write('src/secret.txt', 'mine');
    await rename(`${tree.workspace}/src`, `${tree.workspace}/old`);
    await symlink(tree.outside, `${tree.workspace}/src`);
    await expect(openVerified(path, descriptors)).rejects.toThrow('was replaced');
    await expect(
      openVerifiedDirectory(`${tree.workspace}/src/deep`, undefined, descriptors),
    ).rejects.toThrow();
  });

  it('refuses a pipe without blocking', async () => {
    await using tree = await plantTree();
    execFileSync('mkfifo', [`${tree.workspace}/pipe`]);
    await expect(openVerified(`${tree.workspace}/pipe`, descriptors)).rejects.toThrow('not a regular file');
  });

  it('refuses a device, a socket and a directory as a file', async () => {
    await using tree = await plantTree();
    const server = createServer().listen(`${tree.workspace}/socket`);
    await once(server, 'listening');
    await expect(openVerified('/dev/null', descriptors)).rejects.toThrow('not a regular file');
    await expect(openVerified(`${tree.workspace}/socket`, descriptors)).rejects.toMatchObject({
      code: 'ENXIO',
    });
    await expect(openVerified(tree.workspace, descriptors)).rejects.toThrow('is a folder');
    server.close();
  });

  it('opens a directory but no link to one', async () => {
    await using tree = await plantTree();
    await tree.write('src/a.txt');
    await using directory = await openVerifiedDirectory(`${tree.workspace}/src`, undefined, descriptors);
    expect(await readdir(directory.path)).toEqual(['a.txt']);
    const link = await tree.link(tree.outside, 'out');
    await expect(openVerifiedDirectory(link, undefined, descriptors)).rejects.toMatchObject({
      code: expect.stringMatching(/ELOOP|ENOTDIR/) as string,
    });
  });
});

it.runIf(process.platform === 'linux')('keeps an opened directory when its path is replaced', async () => {
  await using tree = await plantTree();
  await tree.write('src/a.txt', 'mine');
  await using directory = await openVerifiedDirectory(`${tree.workspace}/src`);
  await rename(`${tree.workspace}/src`, `${tree.workspace}/old`);
  await symlink(tree.outside, `${tree.workspace}/src`);
  expect(await readdir(directory.path)).toEqual(['a.txt']);
});

it('never reads from outside while a directory is repeatedly swapped for a link', async () => {
  await using tree = await plantTree();
  const path = await tree.write('src/secret.txt', 'mine');
  const [src, kept] = [`${tree.workspace}/src`, `${tree.workspace}/kept`];
  const swaps = { go: true };
  const swapping = (async () => {
    while (swaps.go) {
      await rename(src, kept);
      await symlink(tree.outside, src);
      await rm(src);
      await rename(kept, src);
    }
  })();
  const seen = new Set<string>();
  for (let round = 0; round < sized(400, 2000); round++) {
    try {
      await using file = await openVerified(path);
      seen.add(await file.readFile('utf8'));
    } catch (error) {
      seen.add(error instanceof Error ? error.message.replace(/.*(was replaced|ENOENT).*/, '$1') : 'odd');
    }
  }
  swaps.go = false;
  await swapping;
  expect([...seen]).not.toContain(canary);
  expect([...seen].every((one) => ['mine', 'was replaced', 'ENOENT'].some((ok) => one.includes(ok)))).toBe(
    true,
  );
});

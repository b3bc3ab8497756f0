import { execFileSync } from 'node:child_process';
import { chmod, readdir, rename, stat, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { writeFileTool } from '../../../../src/core/tools/files/write-file.ts';
import { canary, plantTree, type TestTree } from '../test-tree.ts';
import { runTool } from '../guarded-calls.ts';

const write = (tree: TestTree, path: string, content: string, meanwhile?: () => Promise<unknown>) =>
  runTool(writeFileTool, { path, content }, { workspace: tree.workspace, ...(meanwhile && { meanwhile }) });

describe('write_file', () => {
  it('creates a file and its parent directories', async () => {
    await using tree = await plantTree();
    expect(await write(tree, 'a/b/c.txt', 'ä')).toBe('Created a/b/c.txt, 2 bytes');
    expect(await tree.read('a/b/c.txt')).toBe('ä');
    expect(await readdir(`${tree.workspace}/a/b`)).toEqual(['c.txt']);
  });

  it('replaces a file and keeps its mode', async () => {
    await using tree = await plantTree();
    const written = await tree.write('run.sh', 'old');
    await chmod(written, 0o751);
    expect(await write(tree, 'run.sh', 'new')).toBe('Replaced run.sh, 3 bytes');
    expect(await tree.read('run.sh')).toBe('new');
    expect((await stat(written)).mode & 0o777).toBe(0o751);
    expect(await readdir(tree.workspace)).toEqual(['run.sh']);
  });

  it('replaces a file atomically, so that open handles keep the old content', async () => {
    await using tree = await plantTree();
    const written = await tree.write('a.txt', 'old');
    const before = await stat(written);
    await write(tree, 'a.txt', 'new');
    expect((await stat(written)).ino).not.toBe(before.ino);
  });

  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.GIT/hooks/x',
    'sub/.git/config',
    '.git',
    '.g\u200cit/config',
  ])('refuses to write to %s even without a guard', async (path) => {
    await using tree = await plantTree();
    await expect(write(tree, path, 'x')).rejects.toThrow('.git folder');
    expect(await readdir(tree.workspace)).toEqual([]);
  });

  it('refuses to replace a directory, a pipe or a read-only file', async () => {
    await using tree = await plantTree();
    await tree.write('folder/a.txt');
    await chmod(await tree.write('kept.txt', 'kept'), 0o444);
    execFileSync('mkfifo', [`${tree.workspace}/pipe`]);
    await expect(write(tree, 'folder', 'x')).rejects.toThrow('is a folder');
    await expect(write(tree, 'pipe', 'x')).rejects.toThrow('not a regular file');
    await expect(write(tree, 'kept.txt', 'x')).rejects.toThrow('is read-only');
    await expect(write(tree, 'kept.txt/x', 'x')).rejects.toThrow('not a folder');
    expect((await readdir(tree.workspace)).sort()).toEqual(['folder', 'kept.txt', 'pipe']);
  });

  it('refuses a directory that became a link after the guards checked it', async () => {
    await using tree = await plantTree();
    await tree.write('deep/secret.txt', 'mine');
    const swap = async () => {
      await rename(`${tree.workspace}/deep`, `${tree.workspace}/old`);
      await symlink(`${tree.outside}/deep`, `${tree.workspace}/deep`);
    };
    await expect(write(tree, 'deep/secret.txt', 'x', swap)).rejects.toThrow();
    expect(await tree.read(`${tree.outside}/deep/secret.txt`)).toBe(canary);
    expect(await readdir(`${tree.outside}/deep`)).toEqual(['secret.txt']);
  });

  it.each(['new', 'new/deeper'])(
    'creates no directory behind a link that appeared as %s',
    async (directory) => {
      await using tree = await plantTree();
      const swap = () => tree.link(tree.outside, 'new');
      await expect(write(tree, `${directory}/file.txt`, 'x', swap)).rejects.toThrow();
      expect((await readdir(tree.outside)).sort()).toEqual(['deep', 'secret.txt']);
    },
  );

  it('does not replace a link that appeared in place of the file', async () => {
    await using tree = await plantTree();
    const swap = () => tree.link(`${tree.outside}/secret.txt`, 'new.txt');
    await expect(write(tree, 'new.txt', 'x', swap)).rejects.toThrow('not a regular file');
    expect(await tree.read(`${tree.outside}/secret.txt`)).toBe(canary);
  });
});

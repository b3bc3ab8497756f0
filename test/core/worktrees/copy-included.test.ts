import { existsSync, lstatSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommittedFiles } from '../../../src/core/worktrees/committed-files.ts';
import { copyIncluded, includeLimits } from '../../../src/core/worktrees/copy-included.ts';
import { findCheckout } from '../../../src/core/worktrees/find-repository.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { gitTools } from '../../helpers/git-tools.ts';
import { GitRepository } from '../../helpers/git-repository.ts';

async function copy(repository: GitRepository, limits = includeLimits) {
  const worktree = join(temporaryFolder(), 'worktree');
  const tools = gitTools();
  const found = await findCheckout(tools, repository.root);
  if (!found) throw new Error('There is no checkout');
  repository.git('worktree', 'add', '-q', '--detach', worktree);
  const files = await CommittedFiles.of(found.git, repository.git('rev-parse', 'HEAD'));
  const skipped = await copyIncluded({ git: found.git, checkout: repository.root, worktree, files, limits });
  return { worktree, skipped, read: (name: string) => readFileSync(join(worktree, name), 'utf8') };
}

it('copies ignored files that it names with their modes, and no others', async () => {
  const repository = new GitRepository({
    '.gitignore': '*.local\nbuild/\n',
    '.worktreeinclude': '# settings\n*.local\n!no.local\nbuild/\nnot-ignored\n-odd\n',
  });
  repository.write({
    'a b.local': 'A\n',
    'no.local': 'no\n',
    'line\nfeed.local': 'odd\n',
    '-x.local': 'option\n',
    'build/deep/b': 'B\n',
    'not-ignored': 'no\n',
  });
  const { worktree, skipped, read } = await copy(repository);
  expect(skipped).toEqual([]);
  expect(read('a b.local')).toBe('A\n');
  expect(read('line\nfeed.local')).toBe('odd\n');
  expect(read('-x.local')).toBe('option\n');
  expect(read('build/deep/b')).toBe('B\n');
  for (const name of ['no.local', 'not-ignored']) expect(existsSync(join(worktree, name))).toBe(false);
});

it('never reads or writes through a link that leads elsewhere', async () => {
  const outside = temporaryFolder();
  const repository = new GitRepository({ '.gitignore': 'x/\n*.link\n', '.worktreeinclude': 'x/\n*.link\n' });
  repository.write({ 'x/file': 'inside\n' });
  symlinkSync('/etc/passwd', join(repository.root, 'absolute.link'));
  symlinkSync('../../secret', join(repository.root, 'x/outer.link'));
  symlinkSync('x/file', join(repository.root, 'inner.link'));
  symlinkSync(outside, join(repository.root, 'x/directory'));
  const { worktree, skipped, read } = await copy(repository);
  expect(skipped.sort()).toEqual(['absolute.link', 'x/directory', 'x/outer.link']);
  expect(readlinkSync(join(worktree, 'inner.link'))).toBe('x/file');
  expect(read('x/file')).toBe('inside\n');
  expect(lstatSync(join(worktree, 'x/file')).isFile()).toBe(true);
});

it('writes nothing where the commit has a link in place of a directory', async () => {
  const outside = temporaryFolder();
  const repository = new GitRepository({ '.gitignore': 'y/\n', '.worktreeinclude': 'y/\n' });
  repository.git('update-index', '--add', '--cacheinfo', `120000,${hash(repository, outside)},y`);
  repository.git('commit', '-qm', 'A link');
  repository.git('rm', '-q', '--cached', 'y');
  repository.write({ 'y/file': 'must not leave\n' });
  const { skipped } = await copy(repository);
  expect(skipped).toEqual(['y/file']);
  expect(existsSync(join(outside, 'file'))).toBe(false);
});

it('refuses more than a worktree should hold', async () => {
  const repository = new GitRepository({ '.gitignore': 'x*\n', '.worktreeinclude': 'x*\n' });
  repository.write({ x1: '12345', x2: '12345' });
  await expect(copy(repository, { files: 1, bytes: 100 })).rejects.toMatchObject({
    code: 'include_too_large',
  });
  await expect(copy(repository, { files: 9, bytes: 9 })).rejects.toMatchObject({ code: 'include_too_large' });
});

/** Stores the target of a link. */
function hash(repository: GitRepository, target: string): string {
  symlinkSync(target, join(repository.root, 'temporary'));
  repository.git('add', '-f', 'temporary');
  const id = repository.git('ls-files', '-s', 'temporary').split(' ')[1] ?? '';
  repository.git('rm', '-qf', 'temporary');
  return id;
}

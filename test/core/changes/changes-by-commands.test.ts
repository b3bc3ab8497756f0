import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { snapshotLimits } from '../../../src/core/changes/workspace-snapshots.ts';
import { openKept } from './kept-world.ts';

it('keeps what a command creates, changes, removes and renames, and undo restores it exactly', async () => {
  await using world = await openKept();
  const { tree } = world;
  const at = (path: string) => join(tree.workspace, path);
  const binary = Buffer.from([0, 1, 2, 255, 13, 10]);
  await writeFile(at('image.bin'), binary);
  await tree.write('crlf.txt', 'a\r\nb\r\n');
  await tree.write('gone/deep/g.txt', 'gone');
  await chmod(await tree.write('private.txt', 'mine'), 0o600);
  await chmod(await tree.write('run.sh', 'echo'), 0o755);
  await tree.write('old-name.txt', 'named');
  await tree.link('crlf.txt', 'link');
  await tree.write('kept.txt', 'never touched');
  await world.command(async () => {
    await writeFile(at('image.bin'), 'no image');
    await writeFile(at('crlf.txt'), 'a\r\nc\r\n');
    await rm(at('gone'), { recursive: true });
    await rm(at('private.txt'));
    await chmod(at('run.sh'), 0o644);
    await rename(at('old-name.txt'), at('new-name.txt'));
    await rm(at('link'));
    await symlink('image.bin', at('link'));
    await tree.write('made/by/it.txt', 'new');
  });
  const { files, notKept } = await world.changes();
  expect(files.map(({ path, status, isBinary }) => [path, status, isBinary])).toEqual([
    ['crlf.txt', 'modified', false],
    ['gone/deep/g.txt', 'deleted', false],
    ['image.bin', 'modified', true],
    ['link', 'modified', false],
    ['made/by/it.txt', 'added', false],
    ['new-name.txt', 'added', false],
    ['old-name.txt', 'deleted', false],
    ['private.txt', 'deleted', false],
    ['run.sh', 'modified', false],
  ]);
  expect(notKept).toEqual([]);
  expect((await world.undo()).notRestored).toEqual([]);
  expect(await readFile(at('image.bin'))).toEqual(binary);
  expect(await tree.read('crlf.txt')).toBe('a\r\nb\r\n');
  expect(await tree.read('gone/deep/g.txt')).toBe('gone');
  expect((await stat(at('private.txt'))).mode & 0o777).toBe(0o600);
  expect((await stat(at('run.sh'))).mode & 0o777).toBe(0o755);
  expect(await readlink(at('link'))).toBe('crlf.txt');
  expect((await readdir(tree.workspace)).sort()).toEqual(
    ['crlf.txt', 'gone', 'image.bin', 'kept.txt', 'link', 'old-name.txt', 'private.txt', 'run.sh'].sort(),
  );
});

it('attributes to the run only what changes while its commands run', async () => {
  await using world = await openKept();
  const { tree } = world;
  await tree.write('a.txt', 'a');
  await world.command(() => tree.write('a.txt', 'by the command'));
  await tree.write('mine.txt', 'by a person between two commands');
  await world.command(() => tree.write('b.txt', 'by the next command'));
  expect((await world.changes()).files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
});

it('sees every change, however fast they follow each other and although sizes stay the same', async () => {
  await using world = await openKept();
  await world.tree.write('a.txt', '0');
  for (let round = 1; round <= 9; round++)
    await world.command(() => world.tree.write('a.txt', String(round)));
  expect(await world.rows()).toHaveLength(9);
  await world.undo();
  expect(await world.tree.read('a.txt')).toBe('0');
});

it('leaves out what .gitignore names, node_modules, and repositories in the workspace', async () => {
  await using world = await openKept();
  const { tree } = world;
  await world.repository();
  await tree.write('.gitignore', 'dist/\n');
  await tree.write('nested/file.txt', 'x');
  world.git('init', '-q', 'nested');
  await world.command(async () => {
    await tree.write('dist/out.js', 'built');
    await tree.write('node_modules/a/index.js', 'installed');
    await tree.write('nested/file.txt', 'y');
    await tree.write('src/a.js', 'source');
  });
  expect((await world.changes()).files.map(({ path }) => path)).toEqual(['src/a.js']);
});

it('undo removes no file that only became visible because a command changed .gitignore', async () => {
  await using world = await openKept();
  const { tree } = world;
  await tree.write('.gitignore', 'notes\n');
  await tree.write('notes', 'of a person, ignored until now');
  await tree.write('log.txt', 'ignored from now on');
  await world.command(() => tree.write('.gitignore', 'log.txt\n'));
  expect((await world.changes()).files.map(({ path }) => path)).toEqual(['.gitignore']);
  await world.undo();
  expect(await tree.read('notes')).toBe('of a person, ignored until now');
  expect(await tree.read('log.txt')).toBe('ignored from now on');
});

it('finds the .gitignore of the repository above the directory, with paths from its root', async () => {
  await using world = await openKept();
  const { tree } = world;
  await world.repository();
  await tree.write('.gitignore', '*.log\n');
  await mkdir(join(tree.workspace, 'packages/a'), { recursive: true });
  const keeper = world.keeperOf('task_1', join(tree.workspace, 'packages/a'));
  const keep = await keeper.watchCommand();
  await tree.write('packages/a/x.log', 'ignored');
  await tree.write('packages/a/x.txt', 'new');
  await tree.write('elsewhere.txt', 'outside of the directory of the run');
  await keep();
  expect(await world.changes()).toMatchObject({
    directory: tree.workspace,
    files: [{ path: 'packages/a/x.txt' }],
  });
});

it('nothing in a hostile workspace runs, and its repository stays as it is', async () => {
  await using world = await openKept();
  const { tree } = world;
  await world.repository();
  const ran = join(tree.root, 'ran');
  const evil = `touch ${ran}`;
  await tree.write(
    '.gitattributes',
    '* filter=evil diff=evil text eol=crlf ident working-tree-encoding=UTF-16\n',
  );
  await tree.write('a.txt', 'one\n$Id$\n');
  for (const [key, value] of [
    ['filter.evil.clean', evil],
    ['filter.evil.smudge', evil],
    ['filter.evil.process', evil],
    ['filter.evil.required', 'true'],
    ['diff.evil.textconv', evil],
    ['core.fsmonitor', evil],
    ['core.hooksPath', join(tree.workspace, 'hooks')],
  ])
    world.git('config', key ?? '', value ?? '');
  for (const hook of ['post-index-change', 'pre-commit', 'reference-transaction']) {
    await tree.write(`hooks/${hook}`, `#!/bin/sh\n${evil}\n`);
    await chmod(join(tree.workspace, 'hooks', hook), 0o755);
  }
  world.git('init', '-q', 'sub');
  world.git('-C', 'sub', 'config', 'core.fsmonitor', evil);
  await rm(ran, { force: true });
  const files = async () => {
    const names = await readdir(join(tree.workspace, '.git'), { recursive: true });
    return Promise.all(
      names.sort().map(async (name) => [name, (await lstat(join(tree.workspace, '.git', name))).mtimeMs]),
    );
  };
  const before = await files();
  await world.command(() => appendFile(join(tree.workspace, 'a.txt'), 'two\n'));
  expect(world.warnings).toEqual([]);
  expect((await world.changes()).files).toMatchObject([{ path: 'a.txt', additions: 1, deletions: 0 }]);
  await world.undo();
  expect(await tree.read('a.txt')).toBe('one\n$Id$\n');
  expect(await files()).toEqual(before);
  expect(existsSync(ran)).toBe(false);
});

it('without git only the files of tools are kept, and the answer says so', async () => {
  await using world = await openKept({ env: { PATH: '/nonexistent' } });
  await world.command(() => world.tree.write('a.txt', 'by a command'));
  await world.command(() => world.tree.write('b.txt', 'by another'));
  await world.write('c.txt', 'by a tool');
  const changes = await world.changes();
  expect(changes.files.map(({ path }) => path)).toEqual(['c.txt']);
  expect(changes.notKept).toEqual([
    { reason: 'no_git', message: 'What commands changed is not kept: the daemon found no git.' },
  ]);
  expect(await world.undo()).toMatchObject({
    restored: [{ path: 'c.txt', action: 'removed' }],
    notKept: [{ reason: 'no_git' }],
  });
});

it.each([
  ['too_many_files', { files: 2 }],
  ['too_large', { bytes: 10 }],
])('a workspace beyond a limit is not watched: %s', async (reason, limits) => {
  await using world = await openKept({ limits: { ...snapshotLimits, ...limits } });
  for (const name of ['a', 'b', 'c']) await world.tree.write(name, '0123456789');
  await world.command(() => world.tree.write('d', 'new'));
  expect(await world.changes()).toMatchObject({ files: [], notKept: [{ reason }] });
});

it('a home directory is never watched', async () => {
  await using world = await openKept();
  const keeper = world.keeperOf('task_1', world.tree.root);
  const keep = await keeper.watchCommand();
  await keep();
  expect((await world.changes()).notKept).toMatchObject([{ reason: 'home' }]);
});

it('a daemon that dies while a command runs says that its changes are missing', async () => {
  await using world = await openKept();
  await world.keeperOf().watchCommand();
  expect(await world.changes()).toMatchObject({ files: [], notKept: [{ reason: 'interrupted' }] });
});

it('takes the next snapshot although git was killed in the middle of one', async () => {
  await using world = await openKept();
  await world.tree.write('a.txt', 'a');
  const { git } = await world.snapshots.take(world.tree.workspace);
  await writeFile(join(git.directory, 'index.lock'), '');
  await world.command(() => world.tree.write('a.txt', 'b'));
  expect((await world.changes()).files).toMatchObject([{ path: 'a.txt', status: 'modified' }]);
});

it('removes snapshots that are not in use', async () => {
  await using world = await openKept();
  const snapshot = await world.snapshots.take(world.tree.workspace);
  await world.snapshots.tidy();
  expect(existsSync(snapshot.git.directory)).toBe(true);
  const later = Date.now() + 2 * 86_400_000;
  const { utimes } = await import('node:fs/promises');
  const old = new Date(later - 5 * 86_400_000);
  await utimes(snapshot.git.directory, old, old);
  {
    using _ = world.snapshots.watch(snapshot);
    await world.snapshots.tidy();
    expect(existsSync(snapshot.git.directory)).toBe(true);
  }
  await world.snapshots.tidy();
  expect(existsSync(snapshot.git.directory)).toBe(false);
});

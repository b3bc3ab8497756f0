import { chmod, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openKept, owner } from './kept-world.ts';

it('shows what write_file and edit_file changed as one patch per file', async () => {
  await using world = await openKept();
  const { tree } = world;
  await tree.write('a.txt', 'one\ntwo\nthree\n');
  await world.edit('a.txt', 'two', '2');
  await world.edit('a.txt', 'three', '3');
  await world.write('new/b.txt', 'hello\n');
  expect(await world.changes()).toEqual({
    directory: tree.workspace,
    files: [
      {
        path: 'a.txt',
        status: 'modified',
        isBinary: false,
        additions: 2,
        deletions: 2,
        patch:
          'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+3\n',
      },
      {
        path: 'new/b.txt',
        status: 'added',
        isBinary: false,
        additions: 1,
        deletions: 0,
        patch:
          'diff --git a/new/b.txt b/new/b.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1,1 @@\n+hello\n',
      },
    ],
    additions: 3,
    deletions: 2,
    truncated: false,
    notKept: [],
  });
});

it('undo restores contents and modes exactly, and removes what was created with its empty directories', async () => {
  await using world = await openKept();
  const { tree } = world;
  const binary = Buffer.from([0, 255, 13, 10, 200, 0]);
  await writeFile(join(tree.workspace, 'image.bin'), binary);
  const script = await tree.write('run.sh', '#!/bin/sh\r\necho a\r\n');
  await chmod(script, 0o750);
  await mkdir(join(tree.workspace, 'there'));
  await world.write('image.bin', 'text');
  await world.edit('run.sh', 'echo a', 'echo b');
  await world.write('there/made/deep/x.txt', 'x');
  await world.write('there/y.txt', 'y');
  expect((await stat(script)).mode & 0o777).toBe(0o750);
  const report = await world.undo();
  expect(report).toMatchObject({
    directory: tree.workspace,
    restored: [
      { path: 'image.bin', action: 'restored' },
      { path: 'run.sh', action: 'restored' },
      { path: 'there/made/deep/x.txt', action: 'removed' },
      { path: 'there/y.txt', action: 'removed' },
    ],
    notRestored: [],
  });
  expect(await readFile(join(tree.workspace, 'image.bin'))).toEqual(binary);
  expect(await tree.read('run.sh')).toBe('#!/bin/sh\r\necho a\r\n');
  expect((await stat(script)).mode & 0o777).toBe(0o750);
  expect(existsSync(join(tree.workspace, 'there/made'))).toBe(false);
  expect(existsSync(join(tree.workspace, 'there'))).toBe(true);
  expect(await world.undo()).toMatchObject({ restored: [], notRestored: [] });
  expect((await world.changes()).files.every(({ undoneAt }) => undoneAt !== undefined)).toBe(true);
});

it('a dry run reports what undo would do and changes nothing', async () => {
  await using world = await openKept();
  await world.tree.write('a.txt', 'old');
  await world.write('a.txt', 'new');
  expect(await world.undo('task_1', true)).toMatchObject({
    dryRun: true,
    restored: [{ path: 'a.txt', action: 'restored' }],
  });
  expect(await world.tree.read('a.txt')).toBe('new');
  expect(await world.undo()).toMatchObject({ restored: [{ path: 'a.txt', action: 'restored' }] });
});

it('undo leaves files that changed since as they are, and says which', async () => {
  await using world = await openKept();
  const { tree } = world;
  for (const name of ['mine', 'removed', 'mode', 'same']) {
    await tree.write(name, 'old');
    await world.write(name, 'new');
  }
  await tree.write('mine', 'by a person');
  await rm(join(tree.workspace, 'removed'));
  await chmod(join(tree.workspace, 'mode'), 0o600);
  await tree.write('same', 'old');
  expect(await world.undo()).toMatchObject({
    restored: [{ path: 'same', action: 'unchanged' }],
    notRestored: [
      { path: 'mine', reason: 'changed_since' },
      { path: 'mode', reason: 'changed_since' },
      { path: 'removed', reason: 'changed_since' },
    ],
  });
  expect(await tree.read('mine')).toBe('by a person');
  // What could not be restored can be tried again.
  await tree.write('mine', 'new');
  expect((await world.undo()).restored).toEqual([{ path: 'mine', action: 'restored' }]);
  expect(await tree.read('mine')).toBe('old');
});

it('undo leaves a file that a person changed between two changes of the run', async () => {
  await using world = await openKept();
  await world.tree.write('a.txt', 'one\n');
  await world.edit('a.txt', 'one', 'two');
  await world.tree.write('a.txt', 'two\nby a person\n');
  await world.edit('a.txt', 'two', 'three');
  expect((await world.undo()).notRestored).toMatchObject([{ path: 'a.txt', reason: 'changed_meanwhile' }]);
  expect(await world.tree.read('a.txt')).toBe('three\nby a person\n');
});

it.each(['the file', 'its directory'])('undo writes through no link that replaced %s', async (what) => {
  await using world = await openKept();
  const { tree } = world;
  const target = await tree.write(`${tree.outside}/dir/a.txt`, 'new');
  await tree.write('dir/a.txt', 'old');
  await world.write('dir/a.txt', 'new');
  await world.write('dir/created.txt', 'new');
  await tree.write(`${tree.outside}/dir/created.txt`, 'new');
  const replaced = join(tree.workspace, what === 'the file' ? 'dir/a.txt' : 'dir');
  await rename(replaced, `${replaced}.moved`);
  await symlink(what === 'the file' ? target : join(tree.outside, 'dir'), replaced);
  const { notRestored } = await world.undo();
  expect(notRestored[0]).toMatchObject({ path: 'dir/a.txt', reason: 'replaced' });
  expect(await readFile(target, 'utf8')).toBe('new');
  expect(existsSync(join(tree.outside, 'dir/created.txt'))).toBe(true);
});

it('a later run of another task counts as a change since', async () => {
  await using world = await openKept();
  await world.write('a.txt', 'first');
  await world.write('a.txt', 'second', 'task_2');
  expect((await world.undo('task_1')).notRestored).toMatchObject([{ reason: 'changed_since' }]);
  expect((await world.undo('task_2')).restored).toEqual([{ path: 'a.txt', action: 'restored' }]);
  expect((await world.undo('task_1')).restored).toEqual([{ path: 'a.txt', action: 'removed' }]);
  expect(existsSync(join(world.tree.workspace, 'a.txt'))).toBe(false);
});

it('a daemon that is killed between keeping and replacing leaves nothing to show and a right undo', async () => {
  await using world = await openKept();
  const path = await world.tree.write('a.txt', 'old');
  const change = { path, content: Buffer.from('new'), mode: 0o100644, madeDirectory: undefined };
  // Killed before the file was replaced, and before a new one was created.
  await world.keeperOf().keepFile({ ...change, existing: undefined, path: `${path}.created` });
  const { open } = await import('node:fs/promises');
  {
    await using existing = await open(path);
    await world.keeperOf().keepFile({ ...change, existing });
  }
  expect((await world.changes()).files).toEqual([]);
  expect(await world.undo()).toMatchObject({ restored: [], notRestored: [] });
  expect(await world.tree.read('a.txt')).toBe('old');
  // Killed after it was replaced.
  await writeFile(path, 'new');
  expect((await world.changes()).files).toMatchObject([{ path: 'a.txt', status: 'modified' }]);
  expect((await world.undo()).restored).toEqual([{ path: 'a.txt', action: 'restored' }]);
  expect(await world.tree.read('a.txt')).toBe('old');
});

it('a file that could not be replaced is not a change', async () => {
  await using world = await openKept();
  const path = await world.tree.write('a.txt', 'old');
  await chmod(path, 0o444);
  await expect(world.write('a.txt', 'new')).rejects.toThrow('read-only');
  expect(await world.rows()).toEqual([]);
});

it('lists files that hold credentials without their content', async () => {
  await using world = await openKept();
  await world.tree.write('settings.yaml', 'a: 1\n');
  await world.write('settings.yaml', 'password: hunter2-long-Enough9\nhost: db\n');
  await world.write('.env', 'A=1\n').catch(() => undefined);
  const { files } = await world.changes();
  expect(files).toEqual(
    files.map(({ path, status }) => ({ path, status, isBinary: false, withheld: 'secret' })),
  );
  expect(files.map(({ path }) => path)).toContain('settings.yaml');
});

it('names the agents that keep nothing, and undoes nothing of a task that is not finished', async () => {
  await using world = await openKept();
  expect(await world.changes('task_c')).toMatchObject({ files: [], notKept: [{ reason: 'agent' }] });
  await expect(world.undo('task_r')).rejects.toMatchObject({ code: 'wrong_state' });
  await expect(world.service.ofTask({ userId: 'user_other', role: 'user' }, 'task_1')).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('audits an undo without contents', async () => {
  await using world = await openKept();
  await world.write('a.txt', 'canary-content');
  await world.service.undoTask(owner, 'task_1', { dryRun: true });
  await world.service.undoTask(owner, 'task_1', { dryRun: false, address: '127.0.0.1' });
  const entries = await world.database.read.selectFrom('audit_log').selectAll().execute();
  expect(entries).toMatchObject([
    {
      tool: 'tasks.undone',
      user_id: 'user_owner',
      task_id: 'task_1',
      address: '127.0.0.1',
      arguments: '{"restored":1,"notRestored":0}',
    },
  ]);
  expect(JSON.stringify(entries)).not.toContain('canary');
});

it('removes kept contents once no change names them', async () => {
  await using world = await openKept();
  await world.tree.write('a.txt', 'old');
  await world.write('a.txt', 'new');
  expect(await world.kept()).toHaveLength(2);
  const collect = () => world.blobs.collect((prefix) => world.store.hashesIn(prefix));
  expect(await collect()).toBe(0);
  await world.database.write(({ db }) => db.deleteFrom('file_changes').execute());
  expect(await collect()).toBe(2);
  expect(await world.kept()).toEqual([]);
});

it('an undo whose content is gone says so', async () => {
  await using world = await openKept();
  await world.tree.write('a.txt', 'old');
  await world.write('a.txt', 'new');
  await world.blobs.collect(async () => new Set());
  expect((await world.changes()).files).toMatchObject([{ path: 'a.txt', withheld: 'not_kept' }]);
  expect((await world.undo()).notRestored).toMatchObject([{ path: 'a.txt', reason: 'not_kept' }]);
});

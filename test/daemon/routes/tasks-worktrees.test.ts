import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { GitRepository } from '../../helpers/git-repository.ts';
import { follow } from '../../helpers/tasks.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Runs a command in a worktree of the repository. */
async function work(repository: GitRepository, prompt: string) {
  const { client } = daemon;
  const { task } = await client.tasks.create({
    body: { title: 'My work', assignedAgent: 'command', prompt, cwd: repository.root, worktree: true },
  });
  const { task: done } = await follow(client, task.id);
  expect(done.error ?? done.status).toBe('completed');
  const at = { params: { id: task.id } };
  const read = async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of client.tasks.getPatch(at)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  const { worktree } = await client.tasks.getChanges(at);
  return {
    id: task.id,
    branch: `svc/${task.id}`,
    path: worktree?.path ?? '',
    changes: () => client.tasks.getChanges(at),
    patch: read,
    apply: () => client.tasks.applyChanges(at),
    commit: (message?: string) =>
      client.tasks.commitChanges({ ...at, body: message === undefined ? {} : { message } }),
    discard: (force = false) => client.tasks.discardChanges({ ...at, body: { force } }),
    undo: () => client.tasks.undo({ ...at, body: {} }),
    remove: () => client.tasks.delete(at),
  };
}
const gitApply = (repository: GitRepository, patch: Buffer) =>
  spawnSync('git', ['apply', '--index', '-'], { cwd: repository.root, input: patch, encoding: 'utf8' });
const auditOf = async (event: string) => {
  const { entries } = await daemon.client.audit.list({ query: { tool: event } });
  return entries.map(({ taskId, result }) => ({ taskId, result }));
};

/** Names that break what splits text into lines, words or options. */
const oddNames = [
  '-rf',
  '--help',
  'a b',
  'line\nfeed',
  'quote"d',
  "it's",
  'back\\slash',
  'ünïcode',
  ':(top)x',
  '#x',
];

it('the patch has binary files, odd names, modes and links, and git takes it', async () => {
  const repository = new GitRepository({ 'a.txt': 'one\n', 'gone.bin': 'x\0y', 'run.sh': 'echo\n' });
  const { changes, patch, path, apply } = await work(repository, 'true');
  for (const name of oddNames) writeFileSync(join(path, name), `${name}\n`);
  writeFileSync(join(path, 'new.bin'), Buffer.from([0, 1, 255, 10]));
  rmSync(join(path, 'gone.bin'));
  spawnSync(
    'sh',
    [
      '-c',
      'chmod +x run.sh; ln -s a.txt link; mkdir repo; git init -q repo; mkfifo pipe; touch no; chmod 0 no',
    ],
    {
      cwd: path,
    },
  );
  const { files, worktree, directory } = await changes();
  const isRoot = process.getuid?.() === 0;
  expect(files.map((file) => file.path).sort()).toEqual(
    [...oddNames, 'new.bin', 'gone.bin', 'link', 'run.sh', ...(isRoot ? ['no'] : [])].sort(),
  );
  expect(files.find((file) => file.path === 'new.bin')).toMatchObject({ isBinary: true, status: 'added' });
  expect(directory).toBe(repository.root);
  expect(worktree).toMatchObject({ path, base: repository.git('rev-parse', 'HEAD') });
  expect(gitApply(repository, await patch())).toMatchObject({ status: 0, stderr: '' });
  for (const name of oddNames) expect(repository.read(name)).toBe(`${name}\n`);
  expect(repository.git('ls-files', '-s', 'link', 'run.sh')).toMatch(/^120000 .*\n100755 /);
  repository.git('reset', '-q', '--hard');
  expect(await apply()).toMatchObject({ status: 'applied' });
  expect(readFileSync(join(repository.root, 'new.bin'))).toEqual(Buffer.from([0, 1, 255, 10]));
});

it('credentials are in no patch that is shown, but are applied', async () => {
  const repository = new GitRepository();
  const { changes, patch, apply } = await work(repository, 'echo KEY=planted-secret > .env; echo x > b.txt');
  const shown = await changes();
  expect(shown.files).toMatchObject([{ path: '.env', withheld: 'secret' }, { path: 'b.txt' }]);
  expect(JSON.stringify(shown) + (await patch()).toString()).not.toContain('planted');
  await apply();
  expect(repository.read('.env')).toBe('KEY=planted-secret\n');
});

it('apply stages the changes once, and merges them with what came since', async () => {
  const repository = new GitRepository({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n' });
  const { id, apply } = await work(repository, 'echo 9 >> a.txt; mkdir .claude; touch .claude/x');
  repository.commit({ 'a.txt': '0\n1\n2\n3\n4\n5\n6\n7\n8\n' });
  expect(await apply()).toMatchObject({ status: 'applied', files: 1, checkout: repository.root });
  expect(repository.read('a.txt')).toBe('0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n');
  expect(repository.git('status', '--porcelain')).toBe('M  a.txt');
  expect(await apply()).toMatchObject({ status: 'already_applied' });
  repository.git('commit', '-qam', 'Take it');
  expect(await apply()).toMatchObject({ status: 'already_applied' });
  expect(await auditOf('tasks.changes_applied')).toContainEqual({ taskId: id, result: 'ok' });
});

it('apply changes nothing where the checkout is dirty, conflicts, or has files in the way', async () => {
  const repository = new GitRepository();
  const { apply, branch } = await work(repository, 'echo mine > a.txt; echo mine > b.txt');
  const refuses = async (text: string | RegExp) => {
    const before = repository.fingerprint();
    await expect(apply()).rejects.toMatchObject({ status: 409, message: expect.stringMatching(text) });
    expect(repository.fingerprint()).toEqual(before);
  };
  repository.write({ 'a.txt': 'dirty\n' });
  await refuses(/uncommitted changes: a\.txt\. Commit or stash/);
  repository.commit({ 'a.txt': 'theirs\n' });
  await refuses(
    new RegExp(`conflict with the checkout .*: a\\.txt\\. Nothing was changed.*git merge ${branch}`),
  );
  repository.git('reset', '-q', '--hard', 'HEAD~1');
  repository.write({ 'b.txt': 'untracked\n' });
  repository.git('status');
  await refuses(/not tracked are in the way .*: b\.txt/);
});

it('commit puts the changes on the branch, in the name of the person', async () => {
  const repository = new GitRepository();
  const { commit, branch, path, apply } = await work(
    repository,
    'echo new > b.txt; mkdir .codex; echo x > .codex/y',
  );
  const before = repository.fingerprint();
  const { commit: id, status } = await commit('Add b\n\nBecause.');
  expect(status).toBe('committed');
  expect(repository.git('log', '-1', '--format=%H %an <%ae> %s', branch)).toBe(
    `${id} Ann <ann@example.org> Add b`,
  );
  expect(repository.git('diff', '--name-only', 'main', branch)).toBe('b.txt');
  expect(repository.git('-C', path, 'status', '--porcelain')).toBe('?? .codex/');
  expect(await commit()).toMatchObject({ status: 'unchanged', commit: id });
  expect(repository.fingerprint()).toEqual(before);
  writeFileSync(join(path, 'c.txt'), 'c\n');
  await commit();
  expect(repository.git('log', '-1', '--format=%s', branch)).toBe('My work');
  expect(await apply()).toMatchObject({ status: 'applied', files: 2 });
});

it('discard removes worktree and branch, and the snapshot still applies', async () => {
  const repository = new GitRepository({
    'a.txt': 'one\n',
    '.svc/worktree.json': JSON.stringify({ teardown: ['cat a.txt; exit 4'] }),
  });
  const before = repository.fingerprint();
  const { id, discard, branch, path, patch, apply, changes, commit } = await work(
    repository,
    'echo two > a.txt; echo new > b.txt',
  );
  const shown = await patch();
  expect(await discard()).toEqual({
    message: 'Worktree and branch removed',
    status: 'discarded',
    snapshot: `refs/svc/snapshots/${id}`,
    teardownProblem: expect.stringMatching(/ended with exit code 4\ntwo$/),
  });
  expect(await discard()).toMatchObject({ status: 'unchanged' });
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(join(repository.root, '.git/worktrees'))).toEqual([]);
  expect(repository.git('branch', '--list', branch)).toBe('');
  expect(repository.fingerprint()).toEqual(before);
  expect((await changes()).worktree).toEqual({ base: expect.any(String), head: expect.any(String), branch });
  expect(await patch()).toEqual(shown);
  await expect(commit()).rejects.toMatchObject({ status: 400 });
  expect(await apply()).toMatchObject({ status: 'applied' });
  expect(repository.read('b.txt')).toBe('new\n');
});

it('discard keeps commits of a worktree that is gone, and refuses to lose a repository in it', async () => {
  const repository = new GitRepository();
  const one = await work(
    repository,
    'echo b > b.txt; git add .; git -c user.name=a -c user.email=a@b commit -qm b',
  );
  rmSync(one.path, { recursive: true });
  // A daemon that is killed in between removes the rest the next time, and the snapshot stays what it is.
  repository.git('update-ref', '-d', `refs/heads/${one.branch}`);
  await one.discard();
  expect(await one.apply()).toMatchObject({ status: 'applied', files: 1 });
  expect(repository.git('show', `refs/svc/snapshots/${one.id}:b.txt`)).toBe('b');
  const two = await work(new GitRepository(), 'git init -q inner; echo x > inner/x');
  await expect(two.discard()).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('inner/'),
  });
  expect(existsSync(two.path)).toBe(true);
  expect(await two.discard(true)).toMatchObject({ status: 'discarded' });
});

it('an agent that leads the worktree to another repository runs nothing in the daemon', async () => {
  const repository = new GitRepository();
  const { path, changes, patch, commit, discard } = await work(repository, 'echo new > b.txt');
  const evil = join(path, '.evil');
  const mark = join(repository.root, 'ran');
  spawnSync('git', ['init', '-q', evil]);
  for (const key of ['core.fsmonitor', 'core.hooksPath', 'filter.x.clean', 'diff.external'])
    spawnSync('git', ['-C', evil, 'config', key, `touch ${mark};`]);
  writeFileSync(join(path, '.git'), `gitdir: ${join(evil, '.git')}\n`);
  writeFileSync(join(path, '.gitattributes'), '* filter=x diff=x\n');
  mkdirSync(join(repository.root, '.git/worktrees', path.split('/').at(-1) ?? '', 'x'));
  writeFileSync(
    join(repository.root, '.git/worktrees', path.split('/').at(-1) ?? '', 'commondir'),
    `${join(evil, '.git')}\n`,
  );
  expect((await changes()).files.map((file) => file.path)).toEqual(['.gitattributes', 'b.txt']);
  expect((await patch()).toString()).toContain('b.txt');
  await commit();
  await discard(true);
  expect(existsSync(mark)).toBe(false);
  expect(existsSync(path)).toBe(false);
});

it('a worktree without changes is removed with its task, one with changes holds it', async () => {
  const repository = new GitRepository();
  const clean = await work(repository, 'true');
  await clean.remove();
  expect(existsSync(clean.path)).toBe(false);
  expect(repository.git('branch', '--list', clean.branch)).toBe('');
  const changed = await work(repository, 'echo x > b.txt');
  await expect(changed.remove()).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('svc tasks discard'),
  });
  await changed.discard();
  await changed.remove();
});

it('undo says that discard is the way, and tasks without a worktree have nothing to apply', async () => {
  const repository = new GitRepository();
  const { undo } = await work(repository, 'echo x > b.txt');
  await expect(undo()).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('svc tasks discard'),
  });
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Here', assignedAgent: 'command', prompt: 'true', cwd: repository.root },
  });
  await follow(daemon.client, task.id);
  await expect(daemon.client.tasks.applyChanges({ params: { id: task.id } })).rejects.toMatchObject({
    status: 400,
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreateTask, Task } from '../../src/contract/task.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { follow } from '../helpers/tasks.ts';

const hasSandbox = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ flags: { 'queue.concurrency': 4 } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function run(cwd: string, prompt: string, more: Partial<CreateTask> = {}): Promise<Task> {
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Work', assignedAgent: 'command', prompt, cwd, worktree: true, ...more },
  });
  return (await follow(daemon.client, task.id)).task;
}
const worktreeOf = (repository: GitRepository, { id }: Task) =>
  join(daemon.home, 'worktrees', repository.root.split('/').at(-1) ?? '', id);

it('ten tasks work on one repository at a time without touching its checkout', async () => {
  const repository = new GitRepository({ 'a.txt': 'one\n', 'sub/b.txt': 'b\n', '.gitignore': 'built\n' });
  repository.write({ '.git/hooks/post-checkout': '#!/bin/sh\ntouch hooked\n', built: 'ignored\n' });
  repository.git('status');
  const before = repository.fingerprint();
  const tasks = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      run(
        join(repository.root, 'sub'),
        `echo ${n} > new-${n}.txt && echo ${n} >> ../a.txt && rm b.txt && git add -A && git commit -qm "Work ${n}" && pwd`,
        {
          env: {
            GIT_AUTHOR_NAME: 'a',
            GIT_AUTHOR_EMAIL: 'a@b',
            GIT_COMMITTER_NAME: 'a',
            GIT_COMMITTER_EMAIL: 'a@b',
          },
        },
      ),
    ),
  );
  expect(tasks.map(({ status, error }) => error ?? status)).toEqual(Array(10).fill('completed'));
  expect(repository.fingerprint()).toEqual(before);
  const base = repository.git('rev-parse', 'HEAD');
  for (const [n, task] of tasks.entries()) {
    const branch = `svc/${task.id}`;
    expect(task.result?.output).toBe(`${join(worktreeOf(repository, task), 'sub')}\n`);
    expect(task.result?.changes).toEqual({
      base,
      head: repository.git('rev-parse', branch),
      branch,
      files: 3,
      additions: 2,
      deletions: 1,
      patch: `/api/tasks/${task.id}/changes/patch`,
    });
    expect(repository.git('show', `${branch}:sub/new-${n}.txt`)).toBe(String(n));
    expect(repository.git('log', '--format=%s', `${base}..${branch}`)).toBe(`Work ${n}`);
  }
});

it('keeps what a run left in a snapshot, also files that are not tracked', async () => {
  const repository = new GitRepository();
  const task = await run(
    repository.root,
    'echo x > untracked; mkdir -p .claude .codex; echo x > .claude/settings.json',
  );
  expect(task.result?.changes).toMatchObject({ files: 1, additions: 1, deletions: 0 });
  const snapshot = `refs/svc/snapshots/${task.id}`;
  expect(repository.git('show', `${snapshot}:untracked`)).toBe('x');
  expect(repository.git('show', `${snapshot}:.claude/settings.json`)).toBe('x');
  expect(existsSync(join(worktreeOf(repository, task), '.codex'))).toBe(false);
});

it('sets a worktree up as the commit says, with ports of its own and the ignored files that it names', async () => {
  const repository = new GitRepository({
    '.gitignore': '.env*\nlink\n',
    '.worktreeinclude': '.env.local\nlink\n',
    '.svc/worktree.json': JSON.stringify({ ports: true, setup: ['echo "$SVC_PORT_BASE" > ports'] }),
  });
  repository.write({
    '.env.local': 'A=1\n',
    '.env.other': 'B=1\n',
    '.svc/worktree.json': '{"setup": ["exit 9"]}',
  });
  repository.git('config', 'core.symlinks', 'true');
  const [first, second] = await Promise.all(
    [1, 2].map(() =>
      run(repository.root, 'cat .env.local ports; echo "$SVC_PORT_BASE"; ls -a | grep -c other || true'),
    ),
  );
  const outputs = [first, second].map((task) => task?.result?.output.split('\n'));
  for (const output of outputs) expect(output).toEqual(['A=1', output?.[2], output?.[2], '0', '']);
  expect(outputs[0]?.[2]).toMatch(/^21\d\d0$/);
  expect(outputs[0]?.[2]).not.toBe(outputs[1]?.[2]);
});

it('a setup that fails fails the run with the end of its output, and runs again at the next attempt', async () => {
  const repository = new GitRepository({
    '.svc/worktree.json': JSON.stringify({ setup: ['echo out; echo no network >&2; exit 3'] }),
  });
  const task = await run(repository.root, 'true');
  expect(task).toMatchObject({
    status: 'failed',
    error: {
      class: 'command_failed',
      code: 'setup_failed',
      message: expect.stringMatching(/ended with exit code 3\nout\nno network$/),
    },
  });
});

it('says why no worktree can begin', async () => {
  const plain = temporaryFolder();
  const empty = temporaryFolder();
  mkdirSync(join(empty, '.git/objects'), { recursive: true });
  mkdirSync(join(empty, '.git/refs'));
  writeFileSync(join(empty, '.git/HEAD'), 'ref: refs/heads/main\n');
  expect(await run(plain, 'true')).toMatchObject({
    error: { class: 'invalid_input', code: 'no_repository' },
  });
  expect(await run(empty, 'true')).toMatchObject({ error: { class: 'invalid_input', code: 'no_commit' } });
  const repository = new GitRepository();
  expect(await run(repository.root, 'true', { branch: 'missing' })).toMatchObject({
    error: { class: 'invalid_input', code: 'no_branch' },
  });
  const { client } = daemon;
  await expect(
    client.tasks.create({ body: { title: 'No directory', worktree: true } }),
  ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('cwd') });
});

it('a task without the field works in its directory, and a branch is where a worktree begins', async () => {
  const repository = new GitRepository();
  repository.git('checkout', '-q', '-b', 'other');
  repository.commit({ 'other.txt': 'other\n' });
  repository.git('checkout', '-q', 'main');
  expect(await run(repository.root, 'pwd; ls', { branch: 'other' })).toMatchObject({
    result: { output: expect.stringMatching(/svc-test.*\na\.txt\nother\.txt\n$/) },
  });
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Here', assignedAgent: 'command', prompt: 'pwd', cwd: repository.root },
  });
  const { task: done } = await follow(daemon.client, task.id);
  expect(done.result).toMatchObject({ output: `${repository.root}\n` });
  expect(done.result?.changes).toBeUndefined();
});

it('another attempt continues in the same worktree', async () => {
  const repository = new GitRepository();
  const task = await run(repository.root, 'echo x >> tries; test "$(wc -l < tries)" = 2', { maxAttempts: 3 });
  expect(task).toMatchObject({ status: 'completed', attempts: 2 });
  expect(readFileSync(join(worktreeOf(repository, task), 'tries'), 'utf8')).toBe('x\nx\n');
});

it('runs no program that a repository names', async () => {
  const repository = new GitRepository({
    'a.txt': 'one\n',
    '.gitattributes': '*.txt filter=evil diff=evil merge=evil\n',
  });
  const mark = join(temporaryFolder(), 'ran');
  const evil = `sh -c 'touch ${mark}; cat' --`;
  for (const key of [
    'filter.evil.smudge',
    'filter.evil.clean',
    'filter.evil.process',
    'diff.evil.command',
    'diff.evil.textconv',
    'merge.evil.driver',
    'core.fsmonitor',
    'core.sshCommand',
    'core.pager',
    'core.editor',
    'diff.external',
    'gpg.program',
    'credential.helper',
  ])
    repository.git('config', key, evil);
  repository.git('config', 'filter.evil.required', 'true');
  repository.git('config', 'commit.gpgSign', 'true');
  mkdirSync(join(repository.root, 'evil-hooks'));
  repository.git('config', 'core.hooksPath', 'evil-hooks');
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit'])
    writeFileSync(join(repository.root, 'evil-hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  const task = await run(repository.root, 'printf "two\\n" > a.txt; echo new > b.txt');
  expect(task.error ?? task.status).toBe('completed');
  expect(task.result?.changes).toMatchObject({ files: 2, additions: 2, deletions: 1 });
  expect(existsSync(mark)).toBe(false);
});

it.runIf(hasSandbox)('the commands of a worktree see nothing but it where the sandbox works', async () => {
  const outside = temporaryFolder();
  const repository = new GitRepository({
    '.svc/worktree.json': JSON.stringify({
      setup: [`touch inside; touch ${outside}/outside; echo x > .git; true`],
    }),
  });
  const task = await run(repository.root, 'ls; git rev-parse --abbrev-ref HEAD');
  expect(task.result?.output).toContain(`inside\nsvc/${task.id}\n`);
  expect(existsSync(join(outside, 'outside'))).toBe(false);
});

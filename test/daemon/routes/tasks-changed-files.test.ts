import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { GitRepository } from '../../helpers/git-repository.ts';
import { follow } from '../../helpers/tasks.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Runs a command in a worktree of the repository, and reads its changes. */
async function work(repository: GitRepository, prompt: string) {
  const { client } = daemon;
  const { task } = await client.tasks.create({
    body: { title: 'My work', assignedAgent: 'command', prompt, cwd: repository.root, worktree: true },
  });
  const { task: done } = await follow(client, task.id);
  expect(done.error ?? done.status).toBe('completed');
  const params = { id: task.id };
  const patch = (path: string, query: { offset?: number; limit?: number } = {}) =>
    client.tasks.getFilePatch({ params, query: { path, ...query } });
  return {
    params,
    files: () => client.tasks.listChangedFiles({ params }),
    patch,
    whole: async (path: string, limit: number) => {
      const parts: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const part = await patch(path, { offset, limit });
        expect(part.offset).toBe(offset);
        parts.push(part.patch ?? '');
        offset = part.nextOffset;
      }
      return parts;
    },
  };
}

it('lists changed files without patches, and each patch by itself', async () => {
  const repository = new GitRepository({
    'a.txt': 'one\ntwo\n',
    'gone.txt': 'gone\n',
    'old name.txt': 'moved as it is\n',
    'pic.bin': 'x\0y',
  });
  const { params, files, patch } = await work(
    repository,
    String.raw`printf 'one\n2\n' > a.txt; rm gone.txt; mkdir sub; mv 'old name.txt' 'sub/new name.txt'; printf 'a\0b' > pic.bin; echo new > new.txt; echo "KEY=1" > .env`,
  );
  const { files: listed, ...rest } = await files();
  expect(listed).toEqual([
    { path: '.env', status: 'added', isBinary: false, withheld: 'secret' },
    { path: 'a.txt', status: 'modified', isBinary: false, additions: 1, deletions: 1 },
    { path: 'gone.txt', status: 'deleted', isBinary: false, additions: 0, deletions: 1 },
    { path: 'new.txt', status: 'added', isBinary: false, additions: 1, deletions: 0 },
    { path: 'pic.bin', status: 'modified', isBinary: true },
    {
      path: 'sub/new name.txt',
      status: 'renamed',
      from: 'old name.txt',
      isBinary: false,
      additions: 0,
      deletions: 0,
    },
  ]);
  expect(rest).toMatchObject({
    directory: repository.root,
    additions: 2,
    deletions: 2,
    truncated: false,
    worktree: { branch: `svc/${params.id}` },
    notKept: [],
  });
  const { files: whole } = await daemon.client.tasks.getChanges({ params });
  const text = whole.find(({ path }) => path === 'a.txt')?.patch ?? '';
  expect(await patch('a.txt')).toEqual({ file: listed[1], patch: text, offset: 0, size: text.length });
  expect(await patch('.env')).toEqual({ file: listed[0], offset: 0, size: 0 });
  expect(await patch('pic.bin')).toEqual({ file: listed[4], offset: 0, size: 0 });
  expect((await patch('sub/new name.txt')).patch).toContain('rename from old name.txt\n');
  for (const path of ['b.txt', '../a.txt', '/etc/passwd', 'old name.txt'])
    await expect(patch(path)).rejects.toMatchObject({ status: 404, message: 'Changed file not found' });
  await expect(patch('')).rejects.toMatchObject({ status: 400 });
  await expect(patch('a.txt', { limit: 0 })).rejects.toMatchObject({ status: 400 });
});

it('a patch comes in parts that end with lines, and together are the whole', async () => {
  const repository = new GitRepository({ 'a.txt': 'one\n' });
  const { patch, whole } = await work(
    repository,
    String.raw`seq 5000 > long.txt; printf 'é😀%.0s' $(seq 200) > wide.txt`,
  );
  const { patch: text = '', size } = await patch('long.txt');
  expect(size).toBe(text.length);
  const parts = await whole('long.txt', 1000);
  expect(parts.length).toBeGreaterThan(20);
  expect(parts.every((part) => part.length <= 1000 && part.endsWith('\n'))).toBe(true);
  expect(parts.join('')).toBe(text);
  // A line that is longer than a part is cut between two characters.
  const wide = await whole('wide.txt', 100);
  expect(wide.every((part) => part.isWellFormed())).toBe(true);
  expect(wide.join('')).toBe((await patch('wide.txt')).patch);
  expect(await patch('long.txt', { offset: size + 10 })).toMatchObject({ patch: '', size });
});

it('makes the patch of a file that is too large for the list, in a worktree', async () => {
  const repository = new GitRepository({ 'a.txt': 'one\n' });
  const { files, patch } = await work(repository, 'seq 400000 > large.txt');
  expect((await files()).files).toEqual([
    { path: 'large.txt', status: 'added', isBinary: false, withheld: 'size' },
  ]);
  const first = await patch('large.txt', { limit: 1000 });
  expect(first.file).toEqual({ path: 'large.txt', status: 'added', isBinary: false });
  expect(first.size).toBeGreaterThan(2_000_000);
  expect(first.patch).toContain('@@ -0,0 +1,400000 @@\n+1\n+2\n');
  const last = await patch('large.txt', { offset: first.size - 10 });
  expect(last).toMatchObject({ patch: expect.stringContaining('400000\n') });
  expect(last.nextOffset).toBeUndefined();
});

it('says what was not kept where the task had no worktree', async () => {
  const { task } = await daemon.client.tasks.create({
    body: { title: 'x', assignedAgent: 'command', prompt: 'true' },
  });
  await follow(daemon.client, task.id);
  const params = { id: task.id };
  expect(await daemon.client.tasks.listChangedFiles({ params })).toMatchObject({
    files: [],
    notKept: [{ reason: 'agent', message: expect.any(String) }],
  });
});

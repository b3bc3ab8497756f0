import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDaemon } from '../helpers/daemon.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon());
  await daemon.client.config.update({ params: { key: 'tools.unsandboxed' }, body: { value: 'allow' } });
  await daemon.client.config.update({ params: { key: 'memory.learn' }, body: { value: true } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it('the built-in agent works in a worktree with its tools, commands and checks', async () => {
  const repository = new GitRepository({ 'a.txt': 'old\n' });
  const before = repository.fingerprint();
  model.script = callsTools([
    [{ name: 'write_file', args: { path: 'made/b.txt', content: 'new\n' } }],
    [{ name: 'run_command', args: { command: 'sed -i s/old/new/ a.txt' } }],
  ]);
  const { task } = await daemon.client.tasks.create({
    body: {
      title: 'Count the geese of the lake',
      assignedAgent: 'builtin',
      securityMode: 'full',
      cwd: repository.root,
      worktree: true,
      verify: ['grep new a.txt made/b.txt'],
    },
  });
  const { task: done } = await follow(daemon.client, task.id);
  expect(done.error ?? done.status).toBe('completed');
  expect(done.result).toMatchObject({
    changes: { files: 2, additions: 2, deletions: 1 },
    verification: { status: 'passed' },
  });
  expect(repository.fingerprint()).toEqual(before);
  const { experiences } = await until(async () => {
    const found = await daemon.client.experiences.list();
    expect(found.experiences).toHaveLength(1);
    return found;
  });
  expect(experiences[0]).toMatchObject({ project: repository.root });
  const { files } = await daemon.client.tasks.getChanges({ params: { id: task.id } });
  expect(files).toMatchObject([
    { path: 'a.txt', status: 'modified', patch: expect.stringContaining('-old\n+new\n') },
    { path: 'made/b.txt', status: 'added' },
  ]);
});

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allOf } from '../helpers/all-of.ts';
import { temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer, type ScriptedCall } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon());
  await daemon.client.config.update({ params: { key: 'tools.unsandboxed' }, body: { value: 'allow' } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const write = (path: string, content: string): ScriptedCall => ({
  name: 'write_file',
  args: { path, content },
});
const command = (text: string): ScriptedCall => ({ name: 'run_command', args: { command: text } });
function project() {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'a.txt'), 'old\n');
  return { cwd, read: (name: string) => readFileSync(join(cwd, name), 'utf8') };
}
/** Runs a task of the built-in agent that makes these calls. */
async function runTask(cwd: string, ...calls: ScriptedCall[]) {
  model.script = callsTools(calls.map((call) => [call]));
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Work', assignedAgent: 'builtin', securityMode: 'full', cwd },
  });
  const { task: done } = await follow(daemon.client, task.id);
  expect(done.status).toBe('completed');
  return { params: { id: task.id } };
}
async function converse(cwd: string) {
  const { conversation } = await daemon.client.conversations.create({ body: { cwd } });
  const params = { id: conversation.id };
  return {
    params,
    turn: async (content: string, ...calls: ScriptedCall[]) => {
      model.script = callsTools(calls.map((call) => [call]));
      await daemon.client.conversations.sendMessageWithTools({
        params,
        body: { content, securityMode: 'full' },
      });
    },
    undo: () => daemon.client.conversations.undo({ params, body: {} }),
  };
}
const keptContents = () =>
  readdirSync(join(daemon.home, 'kept/contents'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length;

it('the changes of a task are shown and undone, those of its commands too', async () => {
  const { cwd, read } = project();
  const at = await runTask(cwd, write('made/b.txt', 'new\n'), command('sed -i s/old/new/ a.txt'));
  expect(read('a.txt')).toBe('new\n');
  const { files, notKept } = await daemon.client.tasks.getChanges(at);
  expect(notKept).toEqual([]);
  expect(files).toMatchObject([
    {
      path: 'a.txt',
      status: 'modified',
      additions: 1,
      deletions: 1,
      patch: expect.stringContaining('-old\n+new\n'),
    },
    { path: 'made/b.txt', status: 'added', additions: 1, deletions: 0 },
  ]);
  const report = await daemon.client.tasks.undo({ ...at, body: {} });
  expect(report).toMatchObject({
    restored: [
      { path: 'a.txt', action: 'restored' },
      { path: 'made/b.txt', action: 'removed' },
    ],
    notRestored: [],
  });
  expect(read('a.txt')).toBe('old\n');
  expect(existsSync(join(cwd, 'made'))).toBe(false);
  expect(await daemon.client.tasks.undo({ ...at, body: {} })).toMatchObject({
    restored: [],
    notRestored: [],
  });
});

it('commands that only read leave nothing to show', async () => {
  const { cwd } = project();
  const at = await runTask(cwd, command('cat a.txt'), command('ls'));
  expect(await daemon.client.tasks.getChanges(at)).toMatchObject({ files: [], notKept: [] });
});

it('undo restores the last turn of a conversation, and then the one before', async () => {
  const { cwd, read } = project();
  const { params, turn, undo } = await converse(cwd);
  await turn('First', write('a.txt', 'one\n'));
  await turn('Second\nwith more', write('a.txt', 'two\n'), write('b.txt', 'b\n'));
  await turn('Only look', { name: 'read_file', args: { path: 'a.txt' } });
  const { conversations } = daemon.client;
  expect(await conversations.getChanges({ params })).toMatchObject({
    turn: { message: 'Second' },
    files: [
      { path: 'a.txt', patch: expect.stringContaining('-one\n+two\n') },
      { path: 'b.txt', status: 'added' },
    ],
  });
  expect(await conversations.getChanges({ params, query: { turn: 'all' } })).toMatchObject({
    files: [{ path: 'a.txt', patch: expect.stringContaining('-old\n+two\n') }, { path: 'b.txt' }],
  });
  expect(await undo()).toMatchObject({
    turn: { message: 'Second' },
    restored: [
      { path: 'a.txt', action: 'restored' },
      { path: 'b.txt', action: 'removed' },
    ],
  });
  expect(read('a.txt')).toBe('one\n');
  expect(await conversations.getChanges({ params })).toMatchObject({ turn: { message: 'First' } });
  expect(await undo()).toMatchObject({ turn: { message: 'First' }, restored: [{ path: 'a.txt' }] });
  expect(read('a.txt')).toBe('old\n');
  expect(await undo()).toEqual({ dryRun: false, restored: [], notRestored: [], notKept: [] });
});

it('a turn of agentic mode can be undone as a task and in its conversation', async () => {
  const { cwd, read } = project();
  const { params, undo } = await converse(cwd);
  model.script = callsTools([[write('a.txt', 'new\n')]]);
  const events = await allOf(
    daemon.client.conversations.sendAgenticMessageStream({ params, body: { content: 'Do it' } }),
  );
  const start = events.find(({ type }) => type === 'session:start');
  const taskId = start?.type === 'session:start' ? (start.data.taskId ?? '') : '';
  await follow(daemon.client, taskId);
  expect(await daemon.client.tasks.getChanges({ params: { id: taskId } })).toMatchObject({
    files: [{ path: 'a.txt' }],
  });
  expect(await undo()).toMatchObject({ turn: { message: 'Do it' }, restored: [{ path: 'a.txt' }] });
  expect(read('a.txt')).toBe('old\n');
});

it('nothing is undone while a task or a turn is not finished', async () => {
  const { cwd } = project();
  model.script = callsTools([[write('a.txt', 'new\n')]]);
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Work', assignedAgent: 'builtin', securityMode: 'ask', cwd },
  });
  await until(async () =>
    expect((await daemon.client.approvals.list()).approvals).toContainEqual(
      expect.objectContaining({ taskId: task.id }),
    ),
  );
  const undo = () => daemon.client.tasks.undo({ params: { id: task.id }, body: {} });
  await expect(undo()).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('in_progress'),
  });
  await daemon.client.tasks.cancel({ params: { id: task.id } });
  const { params } = await converse(cwd);
  await daemon.client.conversations.sendMessageWithTools({
    params,
    body: { content: 'Do it', securityMode: 'ask' },
  });
  await expect(daemon.client.conversations.undo({ params, body: {} })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('not finished'),
  });
});

it('a task of another agent says that nothing is kept', async () => {
  const { cwd } = project();
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Shell', prompt: 'echo new > a.txt', assignedAgent: 'command', cwd },
  });
  await follow(daemon.client, task.id);
  expect(await daemon.client.tasks.getChanges({ params: { id: task.id } })).toEqual({
    files: [],
    additions: 0,
    deletions: 0,
    truncated: false,
    notKept: [{ reason: 'agent', message: 'Only the built-in agent keeps the files that it changes.' }],
  });
});

it('what is kept goes with the task and with the conversation', async () => {
  const { cwd } = project();
  const at = await runTask(cwd, write('a.txt', 'content of a task that is deleted\n'));
  const { params, turn } = await converse(cwd);
  await turn('Write', write('a.txt', 'content of a conversation that is deleted\n'));
  await daemon.client.data.prune({ body: { dryRun: false, vacuum: false } });
  const before = keptContents();
  const { directories } = await daemon.client.data.getUsage();
  expect(directories.find(({ name }) => name === 'kept files')?.files).toBeGreaterThanOrEqual(before);
  await daemon.client.tasks.delete(at);
  await daemon.client.conversations.delete({ params });
  await daemon.client.data.prune({ body: { dryRun: false, vacuum: false } });
  expect(keptContents()).toBeLessThanOrEqual(before - 2);
});

it('what is kept is private to the daemon', async () => {
  const { cwd } = project();
  await runTask(cwd, write('a.txt', 'private\n'), command('touch b.txt'));
  const kept = join(daemon.home, 'kept');
  const modes = ['contents', 'snapshots'].flatMap((name) =>
    [name, ...readdirSync(join(kept, name)).map((entry) => join(name, entry))].map(
      (path) => statSync(join(kept, path)).mode & 0o077,
    ),
  );
  expect(new Set(modes)).toEqual(new Set([0]));
});

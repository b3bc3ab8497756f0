import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreateTask } from '../../src/contract/task.ts';
import { owner } from '../../src/core/auth/owner.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';
import { gatewayClient, manyRequests } from '../helpers/gateway.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { type ModelServer, says, type Script } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';
import { hasSandbox } from '../core/tools/commands/command-setup.ts';

let daemon: TestDaemon;
let model: ModelServer;
let bob: TestUser;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon({ flags: manyRequests }));
  bob = await addUser(daemon, 'bob');
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const environment = hasSandbox.isWorking ? 'sandbox' : 'no sandbox';

/** In each turn writes one of the contents into the file, and answers. */
const writes =
  (path: string, contents: readonly string[]): Script =>
  (reply, asked) => {
    const { messages, stream } = asked.body;
    const turn = messages.filter(({ role }) => role === 'user').length - 1;
    const content = contents[turn] ?? '';
    const call = { name: 'write_file', args: { path, content }, id: `call_${turn}` };
    if (messages.at(-1)?.role === 'user') return reply.calls(stream, [call]);
    return says(`Turn ${turn}`)(reply, asked);
  };

/** Runs a task of the built-in agent to its end. */
async function run(script: Script, input: Partial<CreateTask>, cwd = temporaryFolder()) {
  model.script = script;
  model.asked.length = 0;
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Paint the door', assignedAgent: 'builtin', securityMode: 'full', cwd, ...input },
  });
  return follow(daemon.client, task.id);
}
/** What the last message to the model says. */
const told = () => JSON.stringify(model.asked.map(({ body }) => body.messages).at(-1));
const isBlue = 'grep blue door.txt';

describe('a task that names commands to verify it', () => {
  it('goes back to the agent with what went wrong, and is done once the commands succeed', async () => {
    const { task, events } = await run(writes('door.txt', ['It is red', 'It is blue']), {
      verify: ['cat door.txt', isBlue],
    });
    expect(task).toMatchObject({
      status: 'completed',
      verify: ['cat door.txt', isBlue],
      result: {
        output: 'Turn 1',
        verification: {
          status: 'passed',
          rounds: 2,
          environment,
          commands: [
            { command: 'cat door.txt', exitCode: 0, outputTail: 'It is blue' },
            {
              command: isBlue,
              exitCode: 0,
              outputTail: 'It is blue\n',
              outputHash: createHash('sha256').update('It is blue\n').digest('hex'),
            },
          ],
        },
      },
    });
    const verifications = events.filter(({ type }) => type.startsWith('verification_'));
    expect(verifications.map(({ type, message, data }) => [type, data['round'], message])).toEqual([
      ['verification_started', 1, `Verifying: cat door.txt; ${isBlue}`],
      ['verification_finished', 1, `Verification failed: ${isBlue} (exit code 1)`],
      ['verification_started', 2, `Verifying: cat door.txt; ${isBlue}`],
      ['verification_finished', 2, 'Verification passed'],
    ]);
    expect(told()).toContain(`$ ${isBlue}\\nexit code 1\\n[no output]`);
    // It knows from the start how it is judged.
    expect(JSON.stringify(model.asked[0]?.body.messages[0])).toContain(isBlue);
    const lesson = await until(async () => {
      const { experiences } = await daemon.client.experiences.list();
      const found = experiences.find(({ origin }) => origin.taskId === task.id);
      if (!found) throw new Error('It is not learned yet');
      return found;
    });
    expect(lesson).toMatchObject({ successScore: 1, origin: { verified: true } });
  });

  it('shows how its commands ended in every round, with the output of the last one', async () => {
    const { task } = await run(writes('door.txt', ['It is red', 'It is blue']), { verify: [isBlue] });
    const { getChecks } = daemon.client.tasks;
    const moment = expect.any(String) as string;
    expect(await getChecks({ params: { id: task.id } })).toEqual({
      taskId: task.id,
      commands: [isBlue],
      status: 'passed',
      rounds: [
        {
          attempt: 1,
          round: 1,
          status: 'failed',
          startedAt: moment,
          endedAt: moment,
          environment,
          commands: [{ command: isBlue, exitCode: 1, durationMs: expect.any(Number) }],
        },
        {
          attempt: 1,
          round: 2,
          status: 'passed',
          startedAt: moment,
          endedAt: moment,
          environment,
          commands: task.result?.verification?.commands,
        },
      ],
    });
    const plain = await run(says('Done'), {});
    expect(await getChecks({ params: { id: plain.task.id } })).toEqual({
      taskId: plain.task.id,
      commands: [],
      rounds: [],
    });
    await expect(bob.client.tasks.getChecks({ params: { id: task.id } })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('fails after its last repair, with the answer, the evidence and no further attempt', async () => {
    const { task, events } = await run(writes('door.txt', ['red', 'green', 'grey', 'blue']), {
      verify: [isBlue, 'exit 7'],
    });
    expect(task).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: {
        class: 'verify_failed',
        code: 'verify_failed',
        message: `Verification failed: ${isBlue} (exit code 1); exit 7 (exit code 7)`,
      },
      result: {
        success: false,
        output: 'Turn 2',
        verification: { status: 'failed', rounds: 3, commands: [{ exitCode: 1 }, { exitCode: 7 }] },
      },
    });
    expect(events.filter(({ type }) => type === 'verification_finished')).toHaveLength(3);
    // Retried from the dead letters it begins again, with all its repairs.
    const { items } = await daemon.client.dlq.list();
    const letter = items.find(({ taskId }) => taskId === task.id);
    model.script = writes('door.txt', ['red', 'exit']);
    await daemon.client.dlq.retry({ params: { id: letter?.id ?? '' } });
    const again = await follow(daemon.client, task.id);
    expect(again.task.result?.verification).toMatchObject({ status: 'failed', rounds: 3 });
  });

  it('is not repaired where the task allows none', async () => {
    const { task } = await run(writes('door.txt', ['red', 'blue']), { verify: [isBlue], repair: 0 });
    expect(task.result?.verification).toMatchObject({ status: 'failed', rounds: 1 });
    expect(model.asked).toHaveLength(2);
  });

  it('keeps the end of a huge output, and hands it to the agent as data', async () => {
    const { task } = await run(says('Done'), {
      verify: ['head -c 3000000 /dev/zero | tr "\\0" x; echo END; exit 1'],
      repair: 1,
    });
    const [command] = task.result?.verification?.commands ?? [];
    expect(command?.outputTail).toHaveLength(8192);
    expect(command?.outputTail).toMatch(/^x+END\n$/);
    const whole = `${'x'.repeat(3_000_000)}END\n`;
    expect(command?.outputHash).toBe(createHash('sha256').update(whole).digest('hex'));
    expect(told()).toMatch(/never an instruction\.\\n----- data [\w-]+ -----\\nx+END\\n----- data/);
    expect(told().length).toBeLessThan(20_000);
  });

  it('names the checks that the agent changed, which run where its own commands run', async () => {
    const cwd = temporaryFolder();
    const outside = temporaryFolder();
    writeFileSync(join(cwd, 'check.sh'), 'grep blue door.txt\n');
    const escape = `echo 1 > ${outside}/escaped\nexit 0\n`;
    const { task } = await run(writes('check.sh', [escape]), { verify: ['sh check.sh'] }, cwd);
    expect(task.result?.verification).toMatchObject({ changedFiles: ['check.sh'], environment });
    expect(existsSync(join(outside, 'escaped'))).toBe(!hasSandbox.isWorking);
  });

  it('is verified without a repair where the agent is a command', async () => {
    const body = { title: 'Paint', assignedAgent: 'command', cwd: temporaryFolder() };
    const { task: good } = await daemon.client.tasks.create({
      body: { ...body, prompt: 'echo blue > door.txt', verify: [isBlue] },
    });
    expect((await follow(daemon.client, good.id)).task).toMatchObject({
      status: 'completed',
      result: { verification: { status: 'passed', rounds: 1, environment: 'no sandbox' } },
    });
    const { task: bad } = await daemon.client.tasks.create({
      body: { ...body, prompt: 'echo said', verify: ['no_such_program'] },
    });
    const { task } = await follow(daemon.client, bad.id);
    expect(task).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { class: 'verify_failed' },
      result: { output: 'said\n', verification: { rounds: 1, commands: [{ exitCode: 127 }] } },
    });
  });

  it('is cancelled while a command runs, which ends', async () => {
    model.script = says('Done');
    const cwd = temporaryFolder();
    const verify = ['echo $$ > pid; sleep 60 & wait'];
    const { task } = await daemon.client.tasks.create({
      body: { title: 'Wait', assignedAgent: 'command', prompt: 'true', cwd, verify },
    });
    await until(() => expect(existsSync(join(cwd, 'pid'))).toBe(true));
    await daemon.client.tasks.cancel({ params: { id: task.id } });
    const ended = await follow(daemon.client, task.id);
    expect(ended.task.status).toBe('cancelled');
    expect(ended.task.result).toBeUndefined();
  });
});

describe('the right to name commands that verify a task', () => {
  const task = { title: 'Paint', verify: ['true'] };
  const noRights = { status: 403, message: 'Only an administrator may run commands' };

  it('is the right to run commands', async () => {
    await expect(bob.client.tasks.create({ body: task })).rejects.toMatchObject(noRights);
    const cron = '0 9 * * *';
    await expect(bob.client.schedules.create({ body: { cron, task } })).rejects.toMatchObject(noRights);
    const { schedule } = await bob.client.schedules.create({ body: { cron, task: { title: 'Paint' } } });
    const change = bob.client.schedules.update({ params: { id: schedule.id }, body: { task } });
    await expect(change).rejects.toMatchObject(noRights);
    const gateway = await gatewayClient(daemon);
    expect((await gateway.submit({ task })).status).toBe(403);
    const commander = await gatewayClient(daemon, { scopes: ['gateway:write', 'agents:command'] });
    expect((await commander.submit({ task: { ...task, assignedAgent: 'absent' } })).status).toBe(202);
  });

  it('does not pass on with a retry', async () => {
    const { task: mine } = await daemon.client.tasks.create({
      body: { ...task, assignedAgent: 'command', prompt: 'exit 1' },
    });
    await follow(daemon.client, mine.id);
    await daemon.app.database.write(({ db }) =>
      db.updateTable('tasks').set({ owner_id: bob.caller.userId }).where('id', '=', mine.id).execute(),
    );
    await expect(bob.client.tasks.retry({ params: { id: mine.id } })).rejects.toMatchObject(noRights);
    await daemon.app.database.write(({ db }) =>
      db
        .updateTable('dead_letters')
        .set({ owner_id: bob.caller.userId })
        .where('task_id', '=', mine.id)
        .execute(),
    );
    const { items } = await bob.client.dlq.list();
    const retry = bob.client.dlq.retry({ params: { id: items[0]?.id ?? '' } });
    await expect(retry).rejects.toMatchObject(noRights);
  });

  it('is refused to a task from an untrusted source, and to a file', async () => {
    const untrusted = daemon.app.tasks.createFor(
      owner,
      { ...task, priority: 3, source: 'codehost', labels: [] },
      { scope: 'test', key: undefined, body: undefined, isTrusted: false, attach: (_, created) => created },
    );
    await expect(untrusted).rejects.toMatchObject({ code: 'forbidden' });
    const at = '2026-01-01T00:00:00.000Z';
    const held = { ...task, id: 'task_imported', status: 'pending', source: 'codehost', createdAt: at };
    const { imported, errors } = await daemon.client.tasks.import({ body: { version: '1', tasks: [held] } });
    expect({ imported, errors }).toMatchObject({
      imported: 0,
      errors: [{ error: 'verify: Requires permission to run commands, and a trusted task' }],
    });
    const finished = { ...held, id: 'task_finished', status: 'failed' };
    await daemon.client.tasks.import({ body: { version: '1', tasks: [finished] } });
    const retry = daemon.client.tasks.retry({ params: { id: 'task_finished' } });
    await expect(retry).rejects.toMatchObject({ status: 403 });
  });
});

it('a daemon that stops while it verifies resumes with the verification, and calls no model again', async () => {
  model.script = says('Done');
  model.asked.length = 0;
  const flags = { 'providers.ollama.baseUrl': model.url, 'providers.ollama.defaultModel': 'test-model' };
  const first = await startDaemon({ flags });
  const { home } = first;
  const cwd = temporaryFolder();
  const { task } = await first.client.tasks.create({
    body: {
      title: 'Paint',
      cwd,
      verify: ['touch begun; while ! test -e go; do sleep 0.02; done; grep blue door.txt'],
      repair: 0,
    },
  });
  await until(() => expect(existsSync(join(cwd, 'begun'))).toBe(true));
  await first.stop();
  // As a daemon leaves it that dies.
  writeFileSync(join(cwd, 'go'), '');
  writeFileSync(join(cwd, 'door.txt'), 'red');
  await using second = await startDaemon({ home, flags });
  const { task: ended, events } = await follow(second.client, task.id);
  expect(ended).toMatchObject({ status: 'failed', error: { class: 'verify_failed' } });
  expect(events.filter(({ type }) => type === 'verification_started')).toHaveLength(2);
  expect(model.asked).toHaveLength(1);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CreateTask } from '../../src/contract/task.ts';
import { temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer, says, type Script } from '../helpers/model-server.ts';
import { follow } from '../helpers/tasks.ts';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon());
});
beforeEach(() => {
  model.asked.length = 0;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** Runs a task of the built-in agent to its end. */
async function run(script: Script, input: Partial<CreateTask>) {
  model.script = script;
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Count the doors', securityMode: 'full', ...input },
  });
  return (await follow(daemon.client, task.id)).task;
}
const look = { name: 'list_directory', args: { path: '.' } };
/** Calls a tool in every step. */
const forever: Script = (reply, { body }) => reply.calls(body.stream, [look]);
/** One answer after the other. */
const answers =
  (...texts: string[]): Script =>
  (reply, asked) => {
    const turn = asked.body.messages.filter(({ role }) => role === 'user').length - 1;
    return says(texts[turn] ?? 'no more')(reply, asked);
  };

describe('the model and the limits that a task names', () => {
  it('the model and its provider are those of the task', async () => {
    model.models = ['test-model', 'another-model'];
    const [first] = (await daemon.client.providers.list()).providers.filter(({ configured }) => configured);
    const task = await run(says('Two'), { model: 'another-model', ...(first && { provider: first.type }) });
    expect(task).toMatchObject({ model: 'another-model', result: { model: 'another-model' } });
    expect(model.asked[0]?.body.model).toBe('another-model');
  });

  it('the run ends after the steps of the task', async () => {
    const task = await run(forever, { maxSteps: 2 });
    expect(task).toMatchObject({ status: 'failed', error: { class: 'budget', code: 'max_steps' } });
    expect(model.asked).toHaveLength(2);
  });

  it('the run ends before it uses more tokens than the task allows, with what it used', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'long.txt'), 'A door is a door.\n'.repeat(500));
    const task = await run(callsTools([[{ name: 'read_file', args: { path: 'long.txt' } }]]), {
      cwd,
      maxBudget: 1500,
    });
    expect(task).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { class: 'budget', code: 'budget_exceeded' },
      result: { success: false, usage: { totalTokens: 18 } },
    });
    expect(model.asked).toHaveLength(1);
  });

  it('the run ends before it costs more than the task allows, and says what it cost', async () => {
    const key = 'models.prices';
    const { default: chosen } = await daemon.client.providers.list();
    const name = `${chosen?.provider}/test-model`;
    const prices = { [name]: { input: 1, output: 1000 } };
    await daemon.client.config.update({ params: { key }, body: { value: prices } });
    const task = await run(forever, { maxCostUsd: '0.03' });
    expect(task).toMatchObject({
      status: 'failed',
      error: { class: 'budget', code: 'cost_exceeded' },
      result: { cost: '0.014022' },
    });
    expect(model.asked).toHaveLength(2);
    // An answer cannot cost more than what is left.
    const [first = 0, second = 0] = model.asked.map(({ body }) => body.max_tokens ?? 0);
    expect(first).toBeLessThan(30);
    expect(second).toBeLessThan(first - 6);
    expect(await run(says('Two'), { maxCostUsd: '0.03' })).toMatchObject({
      status: 'completed',
      result: { cost: '0.007011' },
    });
    await daemon.client.config.update({ params: { key }, body: { value: null } });
  });

  it('a limit in USD is refused where the price of the model is unknown', async () => {
    const task = await run(says('Two'), { maxCostUsd: '1' });
    expect(task).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { class: 'invalid_input', code: 'price_unknown' },
    });
    expect(task.error?.message).toContain('svc config set models.prices');
    expect(model.asked).toEqual([]);
    const { result } = await run(says('Two'), {});
    expect(result).not.toHaveProperty('cost');
  });

  it('the run ends after the time of the task, in the middle of an answer, and is not repeated', async () => {
    const task = await run((reply) => reply.piece('I am still'), { maxTimeMs: 400, maxAttempts: 3 });
    expect(task).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: {
        class: 'timeout',
        code: 'max_time',
        message: 'The run reached the time limit of its task, 0.4 s',
      },
    });
  });

  it('the time holds for every agent', async () => {
    const { task } = await daemon.client.tasks.create({
      body: { title: 'Sleep', prompt: 'sleep 600', assignedAgent: 'command', maxTimeMs: 100 },
    });
    const ended = await follow(daemon.client, task.id);
    expect(ended.task).toMatchObject({ maxTimeMs: 100, attempts: 1, error: { code: 'max_time' } });
  });

  it('the time is at most that of all runs, whose timeout is repeated', async () => {
    const key = 'pool.timeoutMs';
    await daemon.client.config.update({ params: { key }, body: { value: 100 } });
    const { task } = await daemon.client.tasks.create({
      body: {
        title: 'Sleep',
        prompt: 'sleep 600',
        assignedAgent: 'command',
        maxTimeMs: 60_000,
        maxAttempts: 2,
      },
    });
    const ended = await follow(daemon.client, task.id);
    await daemon.client.config.update({ params: { key }, body: { value: null } });
    expect(ended.task).toMatchObject({ attempts: 2, error: { class: 'timeout', code: 'timeout' } });
  });

  it.each([
    [{ model: 'test-model', maxSteps: 3 }, 'The agent "command" does not support model, maxSteps'],
    [{ maxCostUsd: '1' }, 'The agent "command" does not support maxCostUsd'],
  ])('another agent does not take %j', async (limits, message) => {
    const body = { title: 'Count', prompt: 'true', assignedAgent: 'command', ...limits };
    await expect(daemon.client.tasks.create({ body })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
    const key = 'agents.default';
    await daemon.client.config.update({ params: { key }, body: { value: 'command' } });
    const { task } = await daemon.client.tasks.create({
      body: { title: 'Count', prompt: 'true', ...limits },
    });
    const ended = await follow(daemon.client, task.id);
    await daemon.client.config.update({ params: { key }, body: { value: null } });
    expect(ended.task.error).toMatchObject({ class: 'invalid_input', code: 'unsupported_fields' });
  });

  it.each(['0', '-1', '1e3', 'NaN', '$1', '0.0000001'])(
    'a limit of %s USD is invalid',
    async (maxCostUsd) => {
      await expect(
        daemon.client.tasks.create({ body: { title: 'Count', maxCostUsd } }),
      ).rejects.toMatchObject({
        status: 400,
      });
    },
  );
});

describe('the schema that an answer has to fit', () => {
  const outputSchema = {
    type: 'object',
    properties: { doors: { type: 'integer' } },
    required: ['doors'],
    additionalProperties: false,
  };

  it('the answer is its JSON, without the Markdown around it', async () => {
    const task = await run(says('```json\n{"doors": 2}\n```'), { outputSchema });
    expect(task).toMatchObject({ status: 'completed', outputSchema, result: { output: '{"doors": 2}' } });
    // The prompt contains the schema.
    expect(JSON.stringify(model.asked[0]?.body.messages[0])).toContain('additionalProperties');
  });

  it.each([
    ['There are two doors.', 'it is not JSON'],
    ['{"doors": "two"}', '/doors must be integer'],
    ['{"windows": 2}', "must have required property 'doors'"],
  ])('the answer %s is asked for once more', async (wrong, problem) => {
    const task = await run(answers(wrong, '{"doors": 2}'), { outputSchema });
    expect(task).toMatchObject({ status: 'completed', result: { output: '{"doors": 2}' } });
    expect(JSON.stringify(model.asked.at(-1)?.body.messages.at(-1))).toContain(
      problem.replaceAll('"', '\\"'),
    );
  });

  it('a second answer that does not fit is an error, without another attempt', async () => {
    const task = await run(answers('[]', '{"doors": 1.5}', '{"doors": 2}'), { outputSchema });
    expect(task).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: {
        class: 'invalid_output',
        message: 'The answer does not fit the schema of the task: /doors must be integer',
      },
      result: { output: '{"doors": 1.5}' },
    });
    expect(model.asked).toHaveLength(2);
  });

  it('a command has to print what fits', async () => {
    const body = { title: 'Count', assignedAgent: 'command', outputSchema };
    const create = async (prompt: string) =>
      follow(daemon.client, (await daemon.client.tasks.create({ body: { ...body, prompt } })).task.id);
    expect((await create(`echo '{"doors": 2}'`)).task.result?.output).toBe('{"doors": 2}');
    expect((await create('echo two')).task.error).toMatchObject({ class: 'invalid_output' });
  });

  it('a pattern that backtracks for years fails the task in time', async () => {
    const task = await run(says(JSON.stringify(`${'a'.repeat(60)}!`)), {
      outputSchema: { type: 'string', pattern: '^(a+)+$' },
    });
    expect(task).toMatchObject({ status: 'failed', error: { class: 'invalid_output' } });
    expect(task.error?.message).toContain('cannot be checked');
  });

  it.each([
    [{ $ref: 'https://example.com/schema.json' }, "can't resolve reference"],
    [{ type: 'nothing' }, 'must be equal to one of the allowed values'],
    [{ type: 'string', pattern: '(' }, 'Invalid regular expression'],
    [{ $async: true, type: 'string' }, '$async is not supported'],
    [{ description: 'x'.repeat(17_000) }, 'Longer than 16 KiB'],
  ])('the schema %j is refused', async (schema, message) => {
    const creation = daemon.client.tasks.create({ body: { title: 'Count', outputSchema: schema } });
    await expect(creation).rejects.toMatchObject({
      status: 400,
      details: [{ path: 'outputSchema', message: expect.stringContaining(message) }],
    });
  });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { ensureBuilt, SvcHome } from './svc-binary.ts';

const key = 'sk-planted-0123456789abcdef';
const hint = (text: string) => expect.stringContaining(text) as string;

describe('a new machine', () => {
  it('runs no task without a model provider, and says what to do', async () => {
    ensureBuilt();
    await using home = await SvcHome.create();
    const missing = 'it needs a model provider: svc providers configure openai';
    expect(await home.svc(['run', 'Hi'])).toEqual({
      code: 78,
      stdout: '',
      stderr: hint(`svc: The agent "builtin" is not configured: ${missing}\n`),
    });
    expect((await home.svc(['tasks', 'ls'])).stdout).toBe('');
    const detached = await home.svc(['run', '--detach', 'Hi']);
    expect(detached).toMatchObject({ code: 8, stderr: hint(`The task waits for an agent.`) });
    const provider = 'openai is not configured: it needs a key. Configure it: svc providers configure openai';
    expect(await home.svc(['chat', '--plain', '--provider', 'openai', 'Hi'])).toMatchObject({
      code: 78,
      stderr: `svc: ${provider}\n`,
    });
    const { code, stdout } = await home.svc(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toContain('✓ agent     command is available\n');
    expect(stdout).toContain(
      '! agent     builtin (default) is not configured. It needs a model provider: svc',
    );
    expect(stdout).toContain(
      '- agent     http is not configured. It needs the address of the agent: svc config set',
    );
    expect(stdout).toContain('! provider  No model provider is configured\n');
    expect(stdout).toContain('Configure one: svc providers configure openai');
  });
});

describe('a server of a name of its own', () => {
  let home: SvcHome;
  let model: ModelServer;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    model = await startModelServer();
    const added = await home.svc(
      ['providers', 'add', 'my-llm', '--base-url', model.url, '--api-key-stdin', '--default'],
      {
        stdin: `${key}\n`,
      },
    );
    expect(added).toEqual({
      code: 0,
      stdout: '',
      stderr: hint('my-llm added. It is the default provider. Test it: svc providers test my-llm\n'),
    });
    return async () => {
      await home[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    };
  });

  it('is listed, shown and tested like every provider', async () => {
    expect((await home.svc(['providers', 'test', 'my-llm'])).stdout).toMatch(
      /^my-llm responded in \d+ ms\n$/,
    );
    expect((await home.svc(['providers', 'ls'])).stdout).toMatch(/\* {2}my-llm {2}healthy .*…cdef/);
    const { stdout } = await home.svc(['providers', 'show', 'my-llm']);
    expect(stdout).toContain('my-llm (default)\n');
    expect(stdout).toContain('OpenAI-compatible server\n');
    expect(stdout).not.toContain(key);
  });

  it.each([
    ['its name', ['--provider', 'my-llm']],
    ['its name and a model', ['--provider', 'my-llm', '--model', 'test-model']],
    ['its name before a model', ['--model', 'my-llm/test-model']],
    ['nothing, as it is the default', []],
  ])('runs a task that names %s', async (_, options) => {
    expect(await home.svc(['run', ...options, 'Hi'])).toMatchObject({ code: 0, stdout: 'Hello' });
    expect(model.asked.at(-1)).toMatchObject({
      headers: { authorization: `Bearer ${key}` },
      body: { model: 'test-model' },
    });
  });

  it.each([
    [['--model', 'tset-model'], 'tset-model is not a model of my-llm. Did you mean test-model?\n'],
    [
      ['--model', 'my-llm/zork'],
      'zork is not a model of my-llm. See its models: svc providers models my-llm\n',
    ],
    [['--provider', 'my-lm'], 'There is no model provider "my-lm". Did you mean my-llm?\n'],
    [['--provider', 'openai'], 'it needs a key. Configure it: svc providers configure openai\n'],
  ])('creates no task for %j', async (options, message) => {
    const before = (await home.svc(['tasks', 'ls', '--quiet'])).stdout;
    expect(await home.svc(['run', ...options, 'Hi'])).toMatchObject({
      code: 78,
      stdout: '',
      stderr: hint(message),
    });
    expect((await home.svc(['tasks', 'ls', '--quiet'])).stdout).toBe(before);
  });

  it('is completed with its models', async () => {
    const complete = async (...words: string[]) =>
      (await home.svc(['__complete', '--', ...words])).stdout.split('\n').map((line) => line.split('\t')[0]);
    expect(await complete('run', '--provider', 'my')).toEqual(['my-llm', '']);
    expect(await complete('providers', 'show', 'my')).toEqual(['my-llm', '']);
    expect(await complete('run', '--model', '')).toEqual(['test-model', 'my-llm/test-model', '']);
    expect(await complete('run', '--provider', 'my-llm', '--model', 't')).toEqual(['test-model', '']);
    expect((await home.svc(['chat', '--plain', 'Hi'])).code).toBe(0);
    const id = (await home.svc(['chat', 'ls', '--quiet'])).stdout;
    expect(await complete('chat', 'show', 'conv_')).toEqual(id.split('\n'));
  });

  it('says at once that a task waits because the queue is paused', async () => {
    await home.svc(['queue', 'pause']);
    const { stdout, stderr } = await home.svc(['run', '--detach', 'Hi']);
    expect(stderr).toBe('! The queue is paused, so this task waits. Resume it with: svc queue resume\n');
    await home.svc(['queue', 'resume']);
    expect((await home.svc(['tasks', 'wait', stdout.trim()])).code).toBe(0);
  });

  it('is checked by the doctor, as every other provider', async () => {
    expect((await home.svc(['doctor'])).stdout).toMatch(/✓ provider {2}my-llm answered in \d+ ms\n/);
    const away = await startModelServer();
    await away[Symbol.asyncDispose]();
    await home.svc(['providers', 'add', 'away', '--base-url', away.url, '--no-key']);
    await home.svc(['providers', 'add', 'typo', '--base-url', model.url, '--default-model', 'tset-model']);
    await home.svc(['providers', 'add', 'off', '--base-url', model.url]);
    await home.svc(['providers', 'configure', 'off', '--disable']);
    const { code, stdout } = await home.svc(['doctor', '--json']);
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; subject?: string }[] };
    expect(checks.filter(({ name }) => name === 'provider')).toMatchObject([
      { subject: 'my-llm', status: 'ok' },
      { subject: 'away', status: 'fail', next: hint('svc providers configure away --base-url URL') },
      {
        subject: 'typo',
        status: 'fail',
        message: hint('Did you mean test-model?'),
        next: hint('--default-model'),
      },
      { subject: 'off', status: 'skip' },
    ]);
    for (const name of ['away', 'typo', 'off']) await home.svc(['providers', 'rm', name]);
  });

  it('is removed only by force while it is the default', async () => {
    expect(await home.svc(['providers', 'rm', 'my-llm'])).toMatchObject({
      code: 6,
      stderr: hint('svc: my-llm is in use: it is the default provider.'),
    });
    expect(await home.svc(['providers', 'rm', 'my-llm', '--force'])).toMatchObject({
      code: 0,
      stderr: '! my-llm was in use: it is the default provider.\nmy-llm removed.\n',
    });
    expect((await home.svc(['providers', 'show', 'my-llm'])).code).toBe(5);
  });
});

it('completion starts no daemon, and knows the built-in providers without one', async () => {
  ensureBuilt();
  await using home = await SvcHome.create();
  const { code, stdout } = await home.svc(['__complete', '--', 'run', '--provider', 'open']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'openai\t\nopenrouter\t\n' });
  expect(await home.svc(['__complete', '--', 'run', '--model', ''])).toMatchObject({ code: 0, stdout: '' });
  expect(existsSync(join(home.folder, 'daemon.json'))).toBe(false);
});

it('one entry of a setting is set, shown and removed by its name', async () => {
  ensureBuilt();
  await using home = await SvcHome.create();
  const value = '["groq/a","openai/b"]';
  const set = await home.svc(['config', 'set', 'routes.fast', value]);
  expect(set).toMatchObject({ code: 0, stderr: hint(`routes.fast is ${value} (settings).`) });
  expect((await home.svc(['config', 'get', 'routes.fast'])).stdout).toBe(`${value}\n`);
  expect((await home.svc(['config', 'set', 'routes.slow', '["none"]'])).stderr).toContain(
    'Expected provider/model',
  );
  expect((await home.svc(['config', 'unset', 'routes.fast'])).stderr).toContain('routes.fast is unset');
  expect((await home.svc(['config', 'get', 'routes'])).stdout).toBe('{}\n');
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AddProvider } from '../../../src/contract/providers.ts';
import { auditedEvents } from '../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { isPro } from '../../helpers/pro.ts';
import { startModelServer } from '../../helpers/model-server.ts';
import { addUser } from '../../helpers/users.ts';

const key = 'sk-planted-0123456789abcdef';
const add = ({ client }: TestDaemon, input: Partial<AddProvider> & { baseUrl: string }) =>
  client.providers.add({ body: { name: 'my-llm', ...input } });
const remove = ({ client }: TestDaemon, type = 'my-llm', force?: boolean) =>
  client.providers.remove({ params: { type }, query: { ...(force && { force }) } });
const one = async ({ client }: TestDaemon, type = 'my-llm') =>
  (await client.providers.list()).providers.find((provider) => provider.type === type);

describe('a server of a name of its own', () => {
  it('is a provider like the built-in ones, at once and after a restart', async () => {
    await using model = await startModelServer();
    const first = await startDaemon();
    const { provider } = await add(first, { baseUrl: model.url, apiKey: key, defaultModel: 'test-model' });
    const shown = { type: 'my-llm', name: 'my-llm', custom: true, configured: true, apiKey: '…cdef' };
    expect(provider).toMatchObject({ ...shown, baseUrl: model.url, defaultModel: 'test-model' });
    expect((await first.client.providers.list()).providers).toHaveLength(16);
    expect(await auditedEvents(first)).toContain('provider.add ok');
    await first.stop();

    await using daemon = await startDaemon({ home: first.home });
    expect((await daemon.client.providers.list()).default).toEqual({
      provider: 'my-llm',
      model: 'test-model',
    });
    const { client } = daemon;
    const params = { type: 'my-llm' };
    expect(await client.providers.checkHealth({ params })).toMatchObject({
      provider: 'my-llm',
      healthy: true,
    });
    expect((await client.providers.listModels({ params })).models).toMatchObject([
      { id: 'test-model', provider: 'my-llm' },
    ]);
    expect((await client.chat.listModels({ query: { provider: 'my-llm' } })).models).toHaveLength(1);
    const answers = [
      await client.chat.createQuickCompletion({ body: { prompt: 'Hi', provider: 'my-llm' } }),
      await client.chat.createQuickCompletion({ body: { prompt: 'Hi', model: 'my-llm/other/model' } }),
    ];
    expect(answers).toMatchObject([
      { content: 'Hello', provider: 'my-llm', model: 'test-model' },
      { content: 'Hello', provider: 'my-llm', model: 'other/model' },
    ]);
    expect(model.asked.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${key}`));
    const { conversation } = await client.conversations.create({ body: {} });
    const message = { content: 'Hi', provider: 'my-llm' };
    const sent = await client.conversations.sendMessage({ params: { id: conversation.id }, body: message });
    expect(sent.assistantMessage).toMatchObject({ content: 'Hello', provider: 'my-llm' });
  });

  it('needs no key, and its address no path', async () => {
    await using model = await startModelServer();
    await using daemon = await startDaemon();
    const origin = new URL(model.url).origin;
    expect((await add(daemon, { baseUrl: origin, default: true })).provider.baseUrl).toBe(`${origin}/v1`);
    expect((await daemon.client.providers.list()).default).toEqual({ provider: 'my-llm' });
    const answer = await daemon.client.chat.createQuickCompletion({ body: { prompt: 'Hi' } });
    expect(answer).toMatchObject({ content: 'Hello', provider: 'my-llm', model: 'test-model' });
    expect(model.asked[0]?.headers.authorization).toBeUndefined();
  });

  it.each([
    ['the name of a built-in provider', { name: 'openai' }],
    ['capital letters', { name: 'My-LLM' }],
    ['a slash', { name: 'a/b' }],
    ['an underscore', { name: 'my_llm' }],
    ['no name', { name: '' }],
    ['a password in its address', { baseUrl: 'https://me:secret@one.example/v1' }],
    ['an address on a private network', { baseUrl: 'http://10.0.0.5/v1' }],
    ['the address where clouds give out credentials', { baseUrl: 'http://169.254.169.254/' }],
    ['a key of two lines', { apiKey: 'a\r\nb' }],
  ])('cannot have %s', async (_, wrong) => {
    await using daemon = await startDaemon();
    const adding = add(daemon, { baseUrl: 'https://one.example/v1', ...wrong });
    await expect(adding).rejects.toMatchObject({ status: 400 });
    expect((await daemon.client.providers.list()).providers).toHaveLength(15);
  });

  it('may be on a private network that the administrator allows', async () => {
    await using daemon = await startDaemon({ flags: { 'outbound.allowPrivate': ['10.0.0.0/8'] } });
    expect((await add(daemon, { baseUrl: 'http://10.0.0.5/v1' })).provider.configured).toBe(true);
  });

  it('cannot be added twice', async () => {
    await using daemon = await startDaemon();
    await add(daemon, { baseUrl: 'https://one.example/v1' });
    await expect(add(daemon, { baseUrl: 'https://two.example/v1' })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('svc providers configure my-llm') as string,
    });
    expect(await one(daemon)).toMatchObject({ baseUrl: 'https://one.example/v1' });
  });

  it('keeps its key for its origin only', async () => {
    await using daemon = await startDaemon();
    await add(daemon, { baseUrl: 'https://one.example/v1', apiKey: key });
    const configure = (body: object) =>
      daemon.client.providers.configure({ params: { type: 'my-llm' }, body });
    expect((await configure({ baseUrl: 'https://one.example/v2' })).provider.apiKey).toBe('…cdef');
    expect((await configure({ defaultModel: 'x', enabled: false })).provider).toMatchObject({
      apiKey: '…cdef',
      defaultModel: 'x',
      enabled: false,
    });
    expect((await configure({ baseUrl: 'https://two.example/v1' })).provider).not.toHaveProperty('apiKey');
    expect((await configure({ apiKey: key })).provider.apiKey).toBe('…cdef');
    await expect(configure({ baseUrl: null })).rejects.toMatchObject({ status: 400 });
    await expect(configure({ resourceName: 'ours' })).rejects.toMatchObject({ status: 400 });
    const settings = JSON.stringify(await daemon.client.config.list());
    expect(settings).toContain('two.example');
    expect(settings).not.toContain('planted');
  });

  it('is seen by all users, and changed by administrators only', async () => {
    await using daemon = await startDaemon();
    await add(daemon, { baseUrl: 'https://one.example/v1' });
    const { client } = await addUser(daemon, 'ann');
    expect((await client.providers.list()).providers).toHaveLength(16);
    const forbidden = { status: 403 };
    await expect(
      client.providers.add({ body: { name: 'x', baseUrl: 'https://one.example' } }),
    ).rejects.toMatchObject(forbidden);
    await expect(remove({ ...daemon, client })).rejects.toMatchObject(forbidden);
  });

  it('is checked in the settings too', async () => {
    await using daemon = await startDaemon();
    const set = (value: object | null) =>
      daemon.client.config.update({ params: { key: 'providers.servers' }, body: { value: value as never } });
    await expect(set({ x: { baseUrl: 'http://10.0.0.5/v1' } })).rejects.toMatchObject({ status: 400 });
    await expect(set({ openai: { baseUrl: 'https://one.example' } })).rejects.toMatchObject({ status: 400 });
    await set({ x: { baseUrl: 'https://one.example', apiKey: key } });
    expect(await one(daemon, 'x')).toMatchObject({ configured: true, apiKey: '…cdef' });
    await daemon.client.providers.setDefault({ body: { provider: 'x' } });
    await expect(set(null)).rejects.toMatchObject({ message: expect.stringContaining('default') as string });
  });
});

// In a cluster it is stored with the settings of all daemons, and the file is not read for it.
describe.skipIf(isPro)('a server that is written into the settings file while the daemon runs', () => {
  it('can be the default there too, and other settings can be set', async () => {
    await using daemon = await startDaemon();
    const file = join(daemon.home, 'settings.json');
    const server = { baseUrl: 'https://one.example/v1' };
    writeFileSync(
      file,
      JSON.stringify({ providers: { servers: { 'my-llm': server } }, chat: { defaultProvider: 'my-llm' } }),
    );
    await daemon.client.config.update({ params: { key: 'queue.retry.attempts' }, body: { value: 5 } });
    expect((await daemon.client.providers.list()).default?.provider).toBe('my-llm');

    const without = { chat: { defaultProvider: 'my-llm' } };
    writeFileSync(file, JSON.stringify(without));
    await expect(
      daemon.client.config.update({ params: { key: 'queue.retry.attempts' }, body: { value: 6 } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('chat.defaultProvider') as string });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(without);
  });
});

describe('removing a server', () => {
  it('removes it with its key', async () => {
    await using daemon = await startDaemon();
    await add(daemon, { baseUrl: 'https://one.example/v1', apiKey: key });
    expect(await remove(daemon)).toEqual({ message: 'Provider removed' });
    expect(await one(daemon)).toBeUndefined();
    expect(daemon.app.config.opened('providers.servers')).toEqual({});
    expect(await auditedEvents(daemon)).toContain('provider.remove ok');
    await expect(remove(daemon)).rejects.toMatchObject({ status: 404 });
  });

  it('is refused while it is the default or a schedule uses it, unless it is forced', async () => {
    await using daemon = await startDaemon();
    await add(daemon, { baseUrl: 'http://127.0.0.1:9', default: true });
    const task = { title: 'Nightly', prompt: 'Hi', model: 'my-llm/m' };
    const { warnings } = await daemon.client.schedules.create({ body: { cron: '0 9 * * *', task } });
    expect(warnings).toEqual([expect.stringContaining('the model "m" was not checked')]);
    await expect(remove(daemon)).rejects.toMatchObject({
      status: 400,
      message:
        'my-llm is in use: it is the default provider; the schedule "Nightly" uses it. Remove it nevertheless: svc providers rm my-llm --force',
    });
    const removed = await remove(daemon, 'my-llm', true);
    expect(removed.warnings).toEqual([
      'my-llm was in use: it is the default provider.',
      'my-llm was in use: the schedule "Nightly" uses it.',
    ]);
    expect((await daemon.client.providers.list()).default).toBeNull();
  });

  it('is refused for a built-in provider', async () => {
    await using daemon = await startDaemon();
    await expect(remove(daemon, 'openai', true)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('--forget-key') as string,
    });
  });
});

describe('a name that no provider has', () => {
  it('is an error that names the closest one', async () => {
    await using daemon = await startDaemon();
    await add(daemon, { baseUrl: 'https://one.example/v1' });
    const message = 'There is no model provider "my-lm". Did you mean my-llm?';
    const { client } = daemon;
    const params = { type: 'my-lm' };
    const calls = [
      () => client.chat.createQuickCompletion({ body: { prompt: 'Hi', provider: 'my-lm' } }),
      () => client.providers.checkHealth({ params }),
      () => client.providers.listModels({ params }),
      () => client.providers.configure({ params, body: {} }),
      () => client.providers.setDefault({ body: { provider: 'my-lm' } }),
      () => client.config.update({ params: { key: 'chat.defaultProvider' }, body: { value: 'my-lm' } }),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining(message) as string,
      });
  });

  it('keeps a daemon from starting whose settings have it as the default', async () => {
    await expect(startDaemon({ env: { SVC_CHAT_DEFAULT_PROVIDER: 'opnai' } })).rejects.toThrow(
      'SVC_CHAT_DEFAULT_PROVIDER: There is no model provider "opnai". Did you mean openai?',
    );
  });
});

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SearchMemory } from '../../../src/contract/memory.ts';
import type { Log } from '../../../src/core/log.ts';
import {
  startDaemon,
  temporaryFolder,
  type TestDaemon,
  type TestDaemonOptions,
} from '../../helpers/daemon.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../../helpers/embedding-server.ts';

const KEY = 'sk-the-key-that-nobody-may-see-0123456789';
const MODEL = 'openai/text-embedding-3-small';

/** What is on the axes: animals, tools, weather. */
const meanings: Record<string, number[]> = {
  'cats purr on warm sofas': [1, 0, 0],
  'dogs bark at the postman': [0.8, 0.2, 0],
  'a hammer drives nails into wood': [0, 1, 0],
  'rain falls from grey clouds': [0, 0.1, 1],
  'house pets': [0.96, 0.28, 0],
};
const texts = Object.keys(meanings).filter((text) => text !== 'house pets');
const vectorOf = (text: string) => meanings[text.trim()] ?? [0.5, 0.5, 0.5];

let server: EmbeddingServer;
let folder: string;
let lines: string[];
beforeEach(async () => {
  server = await startEmbeddingServer(vectorOf);
  folder = temporaryFolder();
  lines = [];
  texts.forEach((text, at) => writeFileSync(join(folder, `note-${at}.md`), text));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await server[Symbol.asyncDispose]();
});

const start = (options: TestDaemonOptions = {}) => {
  const note = (fields: object, message: string) =>
    void lines.push(
      `${message} ${JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? value.stack : value))}`,
    );
  const log: Log = { debug: note, info: note, warn: note, error: note };
  return startDaemon({ log, ...options });
};
const set = ({ client }: TestDaemon, key: string, value: string | null) =>
  client.config.update({ params: { key }, body: { value } });
const configure = async (daemon: TestDaemon) => {
  await daemon.client.providers.configure({
    params: { type: 'openai' },
    body: { baseUrl: `${server.url}/v1`, apiKey: KEY },
  });
  await set(daemon, 'memory.embedding.provider', 'openai');
};
const sync = ({ client }: TestDaemon) => client.memory.sync({ body: { basePath: folder } });
const search = ({ client }: TestDaemon, query: string, more: Partial<SearchMemory> = {}) =>
  client.memory.search({ body: { query, ...more } });
const stats = ({ client }: TestDaemon) => client.memory.getStats();
/** Resolves once every text has its vector. */
const filled = (daemon: TestDaemon, count = texts.length) =>
  expect.poll(async () => (await stats(daemon)).embeddedCount, { timeout: 15_000 }).toBe(count);
const names = ({ chunks }: { chunks: { path: string }[] }) =>
  chunks.map(({ path }) => path.replace(/.*note-/, ''));

describe('memory with an embeddings provider', () => {
  it('finds text with the same meaning by vector similarity', async () => {
    await using daemon = await start();
    await sync(daemon);
    expect(await search(daemon, 'house pets')).toMatchObject({ method: 'keyword', chunks: [] });
    expect(await search(daemon, 'house pets')).not.toHaveProperty('reason');
    expect(server.asked).toEqual([]);
    await configure(daemon);
    await filled(daemon);
    expect(await stats(daemon)).toMatchObject({ method: 'hybrid', embeddingModel: MODEL, chunkCount: 4 });
    const found = await search(daemon, 'house pets', { method: 'vector' });
    expect(found).toMatchObject({ method: 'vector' });
    expect(names(found)).toEqual(['1.md', '0.md', '2.md', '3.md']);
    const [dogs, cats, hammer] = found.chunks.map(({ score }) => score);
    expect(dogs).toBeCloseTo((0.96 * 0.8 + 0.28 * 0.2) / Math.hypot(0.8, 0.2), 5);
    expect(cats).toBeCloseTo(0.96, 5);
    expect(hammer).toBeCloseTo(0.28, 5);
    expect(names(await search(daemon, 'house pets', { maxResults: 2 }))).toEqual(['1.md', '0.md']);
    // First by one, first by the other.
    meanings['nails for pets'] = [1, 0, 0];
    const both = await search(daemon, 'nails for pets');
    expect(both.method).toBe('hybrid');
    expect(names(both).slice(0, 2).sort()).toEqual(['0.md', '2.md']);
    expect(both.chunks[0]?.score).toBeGreaterThan(0.5);
    expect(server.asked.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
  });

  it('embeds each text once, even across a restart', async () => {
    const home = temporaryFolder();
    {
      const daemon = await start({ home });
      await configure(daemon);
      await sync(daemon);
      await filled(daemon);
      await search(daemon, 'house pets');
      await search(daemon, 'house pets');
      await daemon.stop();
    }
    expect([...server.embedded].sort()).toEqual([...texts, 'house pets'].sort());
    await using daemon = await start({ home });
    await filled(daemon);
    await sync(daemon);
    expect(await search(daemon, 'house pets')).toMatchObject({ method: 'hybrid' });
    expect(server.embedded).toHaveLength(texts.length + 2);
    writeFileSync(join(folder, 'note-9.md'), 'something new');
    await sync(daemon);
    await filled(daemon, 5);
    expect(server.embedded.slice(-1)).toEqual(['something new']);
  });

  it('a restarted daemon embeds the remaining texts', async () => {
    const home = temporaryFolder();
    mkdirSync(join(folder, 'more'));
    for (let n = 0; n < 100; n++)
      writeFileSync(join(folder, 'more', `note-${n}.md`), `a text of number ${n}`);
    {
      const daemon = await start({ home });
      await configure(daemon);
      const reached = new Promise<void>((resolve) => {
        server.script = (reply) => {
          if (server.embedded.length < 32) return;
          reply.wait();
          resolve();
        };
      });
      const syncing = sync(daemon).catch(() => undefined);
      await reached;
      await daemon.stop();
      await syncing;
    }
    server.script = () => undefined;
    await using daemon = await start({ home });
    await filled(daemon, 104);
    expect(new Set(server.embedded).size).toBe(104);
    expect(server.embedded).toHaveLength(104);
  });

  it('records a changed embedding model, and embeds everything again', async () => {
    await using daemon = await start();
    await configure(daemon);
    await sync(daemon);
    await filled(daemon);
    server.vectorOf = (text) => [...vectorOf(text), 0, 0];
    await set(daemon, 'memory.embedding.model', 'text-embedding-3-large');
    await filled(daemon);
    expect(await stats(daemon)).toMatchObject({ embeddingModel: 'openai/text-embedding-3-large' });
    expect(server.asked.map(({ body }) => body['model'])).toEqual([
      'text-embedding-3-small',
      'text-embedding-3-large',
    ]);
    expect(await search(daemon, 'house pets')).toMatchObject({ method: 'hybrid' });
    await set(daemon, 'memory.embedding.provider', null);
    const { embeddingModel, method } = await stats(daemon);
    expect({ embeddingModel, method }).toEqual({ embeddingModel: undefined, method: 'keyword' });
    const asked = server.asked.length;
    expect(await search(daemon, 'purr')).toMatchObject({ method: 'keyword' });
    expect(server.asked).toHaveLength(asked);
  });

  it('recreates vectors whose length has changed', async () => {
    await using daemon = await start();
    await configure(daemon);
    await sync(daemon);
    await filled(daemon);
    server.vectorOf = (text) => [...vectorOf(text), 0, 0];
    const found = await search(daemon, 'sofas');
    expect(found).toMatchObject({ method: 'keyword', reason: expect.stringContaining('keywords only') });
    expect(names(found)).toEqual(['0.md']);
    await expect.poll(async () => (await search(daemon, 'sofas')).method, { timeout: 15_000 }).toBe('hybrid');
    expect(names(await search(daemon, 'house pets', { method: 'vector' }))).toEqual([
      '1.md',
      '0.md',
      '2.md',
      '3.md',
    ]);
  });
});

describe('memory with a failing embeddings provider', () => {
  const failures: Record<string, [EmbeddingServer['script'], RegExp]> = {
    'with 500': [
      (reply) => reply.send(500, { error: { message: 'oh no' } }),
      /OpenAI cannot answer now: oh no/,
    ],
    'with 401': [
      (reply) => reply.send(401, { error: { message: `Incorrect API key provided: ${KEY}.` } }),
      /OpenAI refuses the key: .*svc providers configure openai/,
    ],
    'with 429': [(reply) => reply.send(429, { error: { message: 'Slow down' } }), /Slow down/],
    'with garbage': [(reply) => reply.send(200, '<html>secret plans</html>'), /cannot be read/],
    'with too few vectors': [(reply) => reply.send(200, { data: [] }), /sent 0 vectors for 1 texts/],
    'with zeros': [
      (reply, { texts: asked }) => reply.send(200, { data: asked.map(() => ({ embedding: [0, 0, 0] })) }),
      /a vector of zeros/,
    ],
    'with silence': [(reply) => reply.wait(), /OpenAI did not answer in time/],
    'with a broken connection': [(reply) => reply.cut(), /it closed the connection/],
    'by quoting what it was sent': [
      (reply, { texts: asked }) => reply.send(400, { error: { message: `Bad: ${asked.join()}` } }),
      /OpenAI does not accept the request: it answered 400/,
    ],
  };

  it.each(Object.entries(failures))(
    'a provider that fails %s leaves keyword search working, with the reason',
    async (how, [script, reason]) => {
      await using daemon = await start();
      await configure(daemon);
      await sync(daemon);
      await filled(daemon);
      server.script = script;
      const query = 'the secret plans of the postman';
      for (const method of how === 'with 500' ? ([undefined, 'hybrid', 'vector'] as const) : [undefined]) {
        const found = await search(daemon, query, method ? { method } : {});
        expect(found).toMatchObject({ method: 'keyword', reason: expect.stringMatching(reason) });
        expect(names(found)).toEqual(['1.md']);
        expect(found.reason).not.toMatch(/0123456789|nobody-may-see|secret plans/);
      }
      const why = await daemon.client.memory.explainSearch({ body: { query } });
      expect(why).toMatchObject({ method: 'keyword', reason: expect.any(String) });
      expect(lines.join('\n')).not.toMatch(/0123456789|nobody-may-see|secret plans|postman/);
      server.script = () => undefined;
      await daemon.client.providers.configure({ params: { type: 'openai' }, body: { enabled: true } });
      expect(await search(daemon, query)).toMatchObject({ method: 'hybrid' });
    },
  );

  it('keyword search works while the embeddings provider is down', async () => {
    await using daemon = await start();
    await configure(daemon);
    await server[Symbol.asyncDispose]();
    await sync(daemon);
    const found = await search(daemon, 'postman');
    expect(found).toMatchObject({
      method: 'keyword',
      reason: expect.stringMatching(/refuses the connection/),
    });
    expect(names(found)).toEqual(['1.md']);
    await expect
      .poll(async () => (await stats(daemon)).embeddingFailure)
      .toMatch(/OpenAI: .* cannot be reached: it refuses the connection/);
    server = await startEmbeddingServer(vectorOf);
  });

  it('a failure during embedding loses nothing and pays for nothing twice', async () => {
    for (let n = 0; n < 100; n++) writeFileSync(join(folder, `note-1${n}.md`), `a text of number ${n}`);
    await using daemon = await start();
    await configure(daemon);
    server.script = (reply) => {
      if (server.asked.length === 3) reply.send(503, { error: { message: 'overloaded' } });
      if (server.asked.length === 5) reply.cut();
    };
    await sync(daemon);
    await filled(daemon, 104);
    const paid = server.embedded.filter((text) => text !== 'hello');
    expect(new Set(paid).size).toBe(104);
    expect(paid).toHaveLength(104);
  });

  it('reports that the settings select no embedding model', async () => {
    await using daemon = await start();
    await daemon.client.providers.configure({
      params: { type: 'azure' },
      body: { baseUrl: server.url, apiKey: KEY },
    });
    await set(daemon, 'memory.embedding.provider', 'azure');
    await sync(daemon);
    const reason = expect.stringContaining('svc config set memory.embedding.model');
    expect(await search(daemon, 'postman')).toMatchObject({ method: 'keyword', reason });
    expect(await stats(daemon)).toMatchObject({ embeddingFailure: reason });
    expect(server.asked).toEqual([]);
  });

  it('does not select a provider without embedding models', async () => {
    await using daemon = await start();
    await expect(set(daemon, 'memory.embedding.provider', 'anthropic')).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/models for embeddings: openai, google, mistral/),
    });
  });
});

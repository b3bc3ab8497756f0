import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../../../../src/core/log.ts';
import { silentLog } from '../../../../src/core/log.ts';
import type { EmbeddingProvider } from '../../../../src/core/config/memory-settings.ts';
import { VectorFill } from '../../../../src/core/memory/embeddings/vector-fill.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../../../helpers/embedding-server.ts';
import { createEmbedder } from './embedder-parts.ts';
import { StandInIndex } from './stand-in-index.ts';

const MODEL = 'openai/text-embedding-3-small';
const never = new AbortController().signal;
const unheard = () => undefined;
const many = (count: number) => Array.from({ length: count }, (_, at) => `text number ${at}`);

let server: EmbeddingServer;
beforeEach(async () => {
  server = await startEmbeddingServer();
});
afterEach(() => server[Symbol.asyncDispose]());

/** A fill whose timers run when the test says so. */
async function createFill(
  texts: readonly string[],
  { provider = 'openai', isEmpty = false }: { provider?: EmbeddingProvider; isEmpty?: boolean } = {},
) {
  const index = new StandInIndex(texts);
  const parts = await createEmbedder(server.url, provider, {
    flags: { 'memory.embedding.provider': undefined },
    textsMs: 2000,
  });
  parts.config.set('memory.embedding.provider', provider);
  const timers: { run: () => void; ms: number }[] = [];
  const logged: { level: string; fields: object; message: string }[] = [];
  const note = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, fields, message });
  const log: Log = { ...silentLog, warn: note('warn'), error: note('error'), debug: note('debug') };
  const fill = new VectorFill({
    embedder: parts.embedder,
    index,
    isEmpty: () => isEmpty,
    isComplete: async () => undefined,
    log,
    setTimer: (run, ms) => {
      timers.push({ run, ms });
      return setTimeout(unheard, 0);
    },
  });
  return {
    ...parts,
    fill,
    index,
    timers,
    logged,
    filled: () => fill.filled(unheard, never),
    async [Symbol.asyncDispose]() {
      await fill.stop();
      await parts[Symbol.asyncDispose]();
    },
  };
}

const each = (texts: readonly string[]) => [...texts].sort();

describe('every text gets its vector', () => {
  it('once, in batches, and none of the blank ones is sent', async () => {
    const texts = many(300);
    await using at = await createFill([...texts, ' \n', '\t']);
    await at.filled();
    expect(each(at.index.embedded(MODEL))).toEqual(each(texts));
    expect(each(server.embedded)).toEqual(each(texts));
    expect(Math.max(...server.asked.map(({ texts: batch }) => batch.length))).toBe(32);
    expect(server.asked.length).toBeLessThan(12);
    await at.filled();
    expect(server.embedded).toHaveLength(300);
    expect(at.fill.failure).toBeUndefined();
    expect(at.logged).toMatchObject([
      { level: 'debug', fields: { model: MODEL, texts: 300, tokens: expect.any(Number) } },
    ]);
  });

  it('also where more are blank than are looked at in a time', async () => {
    await using at = await createFill([...Array.from({ length: 600 }, (_, n) => ' '.repeat(n + 1)), 'text']);
    await at.filled();
    expect(server.embedded).toEqual(['text']);
  });

  it('and what is wanted comes to what the text says, whatever the order of the answers', async () => {
    const texts = many(100);
    server.vectorOf = (text) => [1, Number(/\d+/.exec(text)?.[0])];
    await using at = await createFill(texts);
    await at.filled();
    for (const [hash, values] of at.index.vectors.get(MODEL) ?? [])
      expect(`text number ${values[1]}`).toBe(at.index.texts.get(hash));
  });

  it('also those that come while it is at it', async () => {
    await using at = await createFill(many(10));
    server.script = () => {
      if (server.asked.length > 1) return;
      at.index.add('a late text');
      at.fill.wake();
    };
    await at.filled();
    expect(server.embedded).toHaveLength(11);
    expect(at.index.embedded(MODEL)).toContain('a late text');
  });

  it('with one request at a time where the provider takes no more', async () => {
    await using at = await createFill(many(64), { provider: 'ollama' });
    await at.filled();
    expect(server.asked.map(({ texts }) => texts.length)).toEqual([16, 16, 16, 16]);
  });

  it('and whoever waits hears of the progress', async () => {
    await using at = await createFill(many(600));
    const heard: [number, number][] = [];
    await at.fill.filled((done, total) => heard.push([done, total]), never);
    expect(heard).toEqual([
      [256, 600],
      [512, 600],
      [600, 600],
    ]);
  });

  it('unless whoever waits goes away', async () => {
    await using at = await createFill(many(3));
    server.script = (reply) => reply.wait();
    const going = new AbortController();
    const filled = at.fill.filled(unheard, going.signal);
    going.abort();
    await filled;
    expect(at.index.embedded(MODEL)).toEqual([]);
  });
});

describe('the index is left alone', () => {
  it('without a provider', async () => {
    await using at = await createFill(many(3));
    at.config.set('memory.embedding.provider', null);
    await at.filled();
    expect(at.index.calls).toBe(0);
    expect(server.asked).toEqual([]);
  });

  it('while nothing was ever indexed', async () => {
    await using at = await createFill([], { isEmpty: true });
    at.index.isRunning = false;
    await at.filled();
    expect(at.index.calls).toBe(0);
    at.index.isRunning = true;
    await at.filled();
    expect(at.index.calls).toBeGreaterThan(0);
  });

  it('once it is stopped', async () => {
    await using at = await createFill(many(3));
    await at.fill.stop();
    await at.filled();
    expect(at.index.calls).toBe(0);
  });
});

describe('after a failure', () => {
  it('nothing is lost, nothing is asked twice, and it waits longer each time', async () => {
    const texts = many(100);
    await using at = await createFill(texts, { provider: 'ollama' });
    server.script = (reply) => {
      if (server.asked.length > 3) reply.send(401, { error: { message: 'no' } });
    };
    await at.filled();
    const model = 'ollama/nomic-embed-text';
    expect(at.index.embedded(model)).toHaveLength(48);
    expect(at.fill.failure).toMatch(/Ollama refuses the key: no/);
    at.fill.wake();
    for (const wait of [1000, 2000, 4000]) {
      expect(at.timers).toHaveLength(1);
      const [timer] = at.timers.splice(0);
      expect(timer?.ms).toBe(wait);
      timer?.run();
      await at.filled();
    }
    expect(server.asked).toHaveLength(7);
    server.script = unheard;
    at.timers[0]?.run();
    await at.filled();
    expect(each(server.embedded)).toEqual(each(texts));
    expect(at.index.embedded(model)).toHaveLength(100);
    expect(at.fill.failure).toBeUndefined();
  });

  it('it never waits longer than ten minutes, and begins anew when the settings change', async () => {
    await using at = await createFill(many(3));
    server.script = (reply) => reply.send(401, { error: { message: 'no' } });
    for (let n = 0; n < 14; n++) {
      await at.filled();
      if (n < 13) at.timers.pop()?.run();
    }
    expect(at.timers).toMatchObject([{ ms: 600_000 }]);
    server.script = unheard;
    const { calls } = at.index;
    at.fill.wake();
    expect(at.index.calls).toBe(calls);
    at.fill.startAnew();
    await at.filled();
    expect(each(server.embedded)).toEqual(many(3));
  });

  it('it does not wait when somebody waits for it', async () => {
    await using at = await createFill(many(3));
    server.script = (reply) => reply.send(401, { error: { message: 'no' } });
    await at.filled();
    server.script = unheard;
    await at.filled();
    expect(each(server.embedded)).toEqual(many(3));
  });

  it('it waits as long as the provider asks to', async () => {
    await using at = await createFill(many(3));
    server.script = (reply) =>
      reply.send(429, { error: { message: 'Rate limit reached' } }, { 'retry-after': '77' });
    await at.filled();
    expect(at.timers).toMatchObject([{ ms: 77_000 }]);
    expect(at.fill.failure).toMatch(/takes no more requests for now/);
    await at.filled();
    expect(server.asked).toHaveLength(1);
  });

  it('of the index it tries again, too', async () => {
    await using at = await createFill(many(3));
    const put = at.index.vectors.set.bind(at.index.vectors);
    at.index.vectors.set = () => {
      throw new Error('The disk burns');
    };
    await at.filled();
    expect(at.logged).toMatchObject([{ level: 'error' }, { level: 'warn' }]);
    expect(at.fill.failure).toBe('Something unexpected went wrong. See the log');
    at.index.vectors.set = put;
    at.timers[0]?.run();
    await at.filled();
    expect(at.index.embedded(MODEL)).toHaveLength(3);
  });

  it('it stops to pay for what the index does not keep', async () => {
    await using at = await createFill(many(3));
    at.index.vectors.get = () => undefined;
    await at.filled();
    expect(server.embedded).toHaveLength(3);
    expect(at.logged.map(({ level }) => level)).toContain('error');
  });
});

describe('a text that the provider refuses', () => {
  const bad = 'the secret text that nobody takes';
  const refusals = {
    'for what it says': [400, { error: { message: 'content_filter' } }],
    'with an error that quotes it': [400, { error: { message: `Cannot take: ${bad}` } }],
    'by breaking down': [500, { error: 'json: unsupported value: NaN' }],
  } as const;

  it.each(Object.entries(refusals))(
    'does not keep the others from theirs: %s',
    async (_how, [status, body]) => {
      const texts = many(100);
      await using at = await createFill([...texts.slice(0, 50), bad, ...texts.slice(50)]);
      server.script = (reply, asked) => {
        if (asked.texts.includes(bad)) reply.send(status, body);
      };
      await at.filled();
      expect(each(at.index.embedded(MODEL))).toEqual(each(texts));
      // What may be bad luck is tried a few times more.
      for (let tries = 1; at.timers.length > 0 && tries < 5; tries++) {
        at.timers.pop()?.run();
        await at.filled();
      }
      expect(each(server.embedded.filter((text) => text !== 'hello'))).toEqual(each(texts));
      expect(at.fill.failure).toBeUndefined();
      const warnings = at.logged.filter(({ message }) => message.includes('refuses it'));
      expect(warnings).toMatchObject([{ fields: { model: MODEL, hash: expect.any(String) } }]);
      expect(JSON.stringify(at.logged)).not.toContain('nobody takes');
      const asked = server.asked.length;
      await at.filled();
      expect(server.asked).toHaveLength(asked);
      // New settings are a new chance.
      server.script = unheard;
      at.fill.startAnew();
      await at.filled();
      expect(at.index.embedded(MODEL)).toContain(bad);
    },
  );

  it('is not looked for where the provider refuses everything', async () => {
    await using at = await createFill(many(100));
    server.script = (reply) => reply.send(404, { error: { message: 'The model does not exist' } });
    await at.filled();
    expect(at.fill.failure).toMatch(/The model does not exist/);
    // Each of the four that are asked at a time, and whether it is the texts.
    expect(server.asked.length).toBeLessThanOrEqual(8);
    expect(at.logged.map(({ message }) => message)).toEqual([expect.stringMatching(/tried again/)]);
  });

  it('by chance is not given up', async () => {
    const model = 'ollama/nomic-embed-text';
    await using at = await createFill(many(40), { provider: 'ollama' });
    const unlucky = (texts: string[]) => texts.some((text) => text.endsWith('7'));
    server.script = (reply, { texts }) => {
      if (unlucky(texts)) reply.send(500, { error: 'busy' });
    };
    for (const waitMs of [1000, 2000, 4000]) {
      await at.filled();
      expect(at.index.embedded(model)).toHaveLength(36);
      expect(at.fill.failure).toMatch(/Ollama cannot answer now: busy/);
      expect(at.timers.map(({ ms }) => ms)).toEqual([waitMs]);
      at.timers.pop()?.run();
    }
    await at.filled();
    server.script = unheard;
    at.timers.pop()?.run();
    await at.filled();
    expect(at.index.embedded(model)).toHaveLength(40);
    expect(at.fill.failure).toBeUndefined();
    expect(at.logged.filter(({ message }) => message.includes('refuses it'))).toEqual([]);
  });
});

describe('another model', () => {
  it('embeds everything again, and no sooner than that the old vectors go', async () => {
    await using at = await createFill(many(5));
    await at.filled();
    at.config.set('memory.embedding.model', 'text-embedding-3-large');
    server.script = (reply) => reply.send(401, { error: { message: 'no' } });
    at.fill.startAnew();
    await at.filled();
    expect(at.index.embedded(MODEL)).toHaveLength(5);
    server.script = unheard;
    at.fill.startAnew();
    await at.filled();
    expect([...at.index.vectors.keys()]).toEqual(['openai/text-embedding-3-large']);
    expect(at.index.embedded('openai/text-embedding-3-large')).toHaveLength(5);
    expect(server.embedded).toHaveLength(10);
  });

  it('and back costs nothing while the new vectors were not complete', async () => {
    await using at = await createFill(many(5));
    await at.filled();
    at.config.set('memory.embedding.model', 'text-embedding-3-large');
    server.script = (reply) => reply.send(401, { error: { message: 'no' } });
    at.fill.startAnew();
    await at.filled();
    server.script = unheard;
    at.config.set('memory.embedding.model', null);
    at.fill.startAnew();
    await at.filled();
    expect(server.embedded).toHaveLength(5);
    expect(at.fill.failure).toBeUndefined();
  });

  it('breaks off what is under way', async () => {
    await using at = await createFill(many(5));
    const reached = new Promise<void>((resolve) => {
      server.script = (reply, { body }) => {
        if (body['model'] !== 'text-embedding-3-small') return;
        reply.wait();
        resolve();
      };
    });
    at.fill.wake();
    await reached;
    at.config.set('memory.embedding.model', 'text-embedding-3-large');
    at.fill.startAnew();
    await at.filled();
    expect([...at.index.vectors.keys()]).toEqual(['openai/text-embedding-3-large']);
  });

  it('is none: it stops at once and removes nothing', async () => {
    await using at = await createFill(many(5));
    await at.filled();
    at.index.add('one more');
    const reached = new Promise<void>((resolve) => {
      server.script = (reply) => {
        reply.wait();
        resolve();
      };
    });
    at.fill.wake();
    await reached;
    at.config.set('memory.embedding.provider', null);
    at.fill.startAnew();
    await at.filled();
    expect(at.index.embedded(MODEL)).toHaveLength(5);
    expect(at.timers).toEqual([]);
    expect(at.fill.failure).toBeUndefined();
  });

  it('keeps nothing of texts that are gone, but does not look during a sync', async () => {
    await using at = await createFill(many(3));
    at.index.isSyncing = true;
    await at.filled();
    const [gone] = at.index.texts.keys();
    if (gone !== undefined) at.index.texts.delete(gone);
    await at.filled();
    expect(at.index.vectors.get(MODEL)?.size).toBe(3);
    at.index.isSyncing = false;
    await at.filled();
    expect(at.index.vectors.get(MODEL)?.size).toBe(2);
  });
});

describe('vectors of another length', () => {
  it('are made of all texts, once a query could not be compared', async () => {
    server.vectorOf = () => [1, 2, 3];
    await using at = await createFill(many(40));
    await at.filled();
    server.vectorOf = () => [1, 2];
    await at.filled();
    expect(server.embedded).toHaveLength(40);
    at.fill.wasUnfit();
    await at.filled();
    const lengths = [...(at.index.vectors.get(MODEL)?.values() ?? [])].map(({ length }) => length);
    expect(lengths).toEqual(Array.from({ length: 40 }, () => 2));
  });

  it('are made of all texts, once those of new ones do not fit', async () => {
    server.vectorOf = () => [1, 2, 3];
    await using at = await createFill(many(40));
    await at.filled();
    server.vectorOf = () => [1, 2];
    at.index.add('one more');
    await at.filled();
    const lengths = [...(at.index.vectors.get(MODEL)?.values() ?? [])].map(({ length }) => length);
    expect(lengths).toEqual(Array.from({ length: 41 }, () => 2));
  });

  it('that the index cannot take are not made again and again', async () => {
    await using at = await createFill(many(40));
    at.index.refusesAll = true;
    await at.filled();
    expect(at.fill.failure).toMatch(/dimensions/i);
    // Two batches and a look, twice at most.
    expect(server.asked.length).toBeLessThanOrEqual(6);
    expect(at.timers).toHaveLength(1);
  });

  it('by mistake remove nothing', async () => {
    server.vectorOf = () => [1, 2, 3];
    await using at = await createFill(many(40));
    await at.filled();
    server.vectorOf = (text) => (text === 'one more' ? [1, 2] : [1, 2, 3]);
    at.index.add('one more');
    await at.filled();
    expect(at.index.embedded(MODEL)).toHaveLength(40);
    expect(at.fill.failure).toMatch(/dimensions/i);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddingServer, startEmbeddingServer } from '../../../helpers/embedding-server.ts';
import { MODEL, createBackfill, each, many, never, noop } from './backfill-fixture.ts';

let server: EmbeddingServer;
beforeEach(async () => {
  server = await startEmbeddingServer();
});
afterEach(() => server[Symbol.asyncDispose]());

describe('the backfill of vectors', () => {
  it('embeds each text once, in batches, without blank texts', async () => {
    const texts = many(300);
    await using at = await createBackfill(server, [...texts, ' \n', '\t']);
    await at.waitUntilComplete();
    expect(each(at.index.embedded(MODEL))).toEqual(each(texts));
    expect(each(server.embedded)).toEqual(each(texts));
    expect(Math.max(...server.asked.map(({ texts: batch }) => batch.length))).toBe(32);
    expect(server.asked.length).toBeLessThan(12);
    await at.waitUntilComplete();
    expect(server.embedded).toHaveLength(300);
    expect(at.backfill.failure).toBeUndefined();
    expect(at.logged).toMatchObject([
      { level: 'debug', fields: { model: MODEL, texts: 300, tokens: expect.any(Number) } },
    ]);
  });

  it('continues past a whole page of blank texts', async () => {
    await using at = await createBackfill(server, [
      ...Array.from({ length: 600 }, (_, n) => ' '.repeat(n + 1)),
      'text',
    ]);
    await at.waitUntilComplete();
    expect(server.embedded).toEqual(['text']);
  });

  it('assigns each vector to its text for any order of answers', async () => {
    const texts = many(100);
    server.vectorOf = (text) => [1, Number(/\d+/.exec(text)?.[0])];
    await using at = await createBackfill(server, texts);
    await at.waitUntilComplete();
    for (const [hash, values] of at.index.vectors.get(MODEL) ?? [])
      expect(`text number ${values[1]}`).toBe(at.index.texts.get(hash));
  });

  it('embeds texts that arrive during a pass', async () => {
    await using at = await createBackfill(server, many(10));
    server.script = () => {
      if (server.asked.length > 1) return;
      at.index.add('a late text');
      at.backfill.wake();
    };
    await at.waitUntilComplete();
    expect(server.embedded).toHaveLength(11);
    expect(at.index.embedded(MODEL)).toContain('a late text');
  });

  it('sends one embedding request at a time to a provider that does not accept more', async () => {
    await using at = await createBackfill(server, many(64), { provider: 'ollama' });
    await at.waitUntilComplete();
    expect(server.asked.map(({ texts }) => texts.length)).toEqual([16, 16, 16, 16]);
  });

  it('reports progress to waiting callers', async () => {
    await using at = await createBackfill(server, many(600));
    const heard: [number, number][] = [];
    await at.backfill.waitUntilComplete((done, total) => heard.push([done, total]), never);
    expect(heard).toEqual([
      [256, 600],
      [512, 600],
      [600, 600],
    ]);
  });

  it('stops waiting when the caller aborts', async () => {
    await using at = await createBackfill(server, many(3));
    server.script = (reply) => reply.wait();
    const going = new AbortController();
    const waitUntilComplete = at.backfill.waitUntilComplete(noop, going.signal);
    going.abort();
    await waitUntilComplete;
    expect(at.index.embedded(MODEL)).toEqual([]);
  });
});

describe('the index is left alone', () => {
  it('leaves the index alone without a provider', async () => {
    await using at = await createBackfill(server, many(3));
    await at.config.set('memory.embedding.provider', null);
    await at.waitUntilComplete();
    expect(at.index.calls).toBe(0);
    expect(server.asked).toEqual([]);
  });

  it('leaves the index alone while nothing was ever indexed', async () => {
    await using at = await createBackfill(server, [], { isEmpty: true });
    at.index.isRunning = false;
    await at.waitUntilComplete();
    expect(at.index.calls).toBe(0);
    at.index.isRunning = true;
    await at.waitUntilComplete();
    expect(at.index.calls).toBeGreaterThan(0);
  });

  it('leaves the index alone after a stop', async () => {
    await using at = await createBackfill(server, many(3));
    await at.backfill.stop();
    await at.waitUntilComplete();
    expect(at.index.calls).toBe(0);
  });
});

describe('after a failure', () => {
  it('loses nothing after a failure, requests nothing twice and backs off', async () => {
    const texts = many(100);
    await using at = await createBackfill(server, texts, { provider: 'ollama' });
    server.script = (reply) => {
      if (server.asked.length > 3) reply.send(401, { error: { message: 'no' } });
    };
    await at.waitUntilComplete();
    const model = 'ollama/nomic-embed-text';
    expect(at.index.embedded(model)).toHaveLength(48);
    expect(at.backfill.failure).toMatch(/Ollama refuses the key: no/);
    at.backfill.wake();
    for (const wait of [1000, 2000, 4000]) {
      expect(at.timers).toHaveLength(1);
      const [timer] = at.timers.splice(0);
      expect(timer?.ms).toBe(wait);
      timer?.run();
      await at.waitUntilComplete();
    }
    expect(server.asked).toHaveLength(7);
    server.script = noop;
    at.timers[0]?.run();
    await at.waitUntilComplete();
    expect(each(server.embedded)).toEqual(each(texts));
    expect(at.index.embedded(model)).toHaveLength(100);
    expect(at.backfill.failure).toBeUndefined();
  });

  it('waits at most ten minutes and restarts when the settings change', async () => {
    await using at = await createBackfill(server, many(3));
    server.script = (reply) => reply.send(401, { error: { message: 'no' } });
    for (let n = 0; n < 14; n++) {
      await at.waitUntilComplete();
      if (n < 13) at.timers.pop()?.run();
    }
    expect(at.timers).toMatchObject([{ ms: 600_000 }]);
    server.script = noop;
    const { calls } = at.index;
    at.backfill.wake();
    expect(at.index.calls).toBe(calls);
    at.backfill.restart();
    await at.waitUntilComplete();
    expect(each(server.embedded)).toEqual(many(3));
  });

  it('retries at once for a waiting caller', async () => {
    await using at = await createBackfill(server, many(3));
    server.script = (reply) => reply.send(401, { error: { message: 'no' } });
    await at.waitUntilComplete();
    server.script = noop;
    await at.waitUntilComplete();
    expect(each(server.embedded)).toEqual(many(3));
  });

  it('waits as long as the provider requests', async () => {
    await using at = await createBackfill(server, many(3));
    server.script = (reply) =>
      reply.send(429, { error: { message: 'Rate limit reached' } }, { 'retry-after': '77' });
    await at.waitUntilComplete();
    expect(at.timers).toMatchObject([{ ms: 77_000 }]);
    expect(at.backfill.failure).toMatch(/accepts no more requests for now/);
    await at.waitUntilComplete();
    expect(server.asked).toHaveLength(1);
  });

  it('retries after a failure of the index', async () => {
    await using at = await createBackfill(server, many(3));
    const put = at.index.vectors.set.bind(at.index.vectors);
    at.index.vectors.set = () => {
      throw new Error('The disk burns');
    };
    await at.waitUntilComplete();
    expect(at.logged).toMatchObject([{ level: 'error' }, { level: 'warn' }]);
    expect(at.backfill.failure).toBe('Something unexpected went wrong. See the log');
    at.index.vectors.set = put;
    at.timers[0]?.run();
    await at.waitUntilComplete();
    expect(at.index.embedded(MODEL)).toHaveLength(3);
  });

  it.each(['before', 'while'])('accepts a clear and a sync %s it looks for more texts', async (when) => {
    await using at = await createBackfill(server, many(3));
    const { call } = at.index;
    const clearAndSync = () => {
      at.index.vectors.clear();
      at.backfill.wake();
    };
    let looks = 0;
    const calling = (name: string) => {
      if (name === 'missingVectors' && ++looks === 2 && when === 'while') clearAndSync();
      // Asked after each page of texts.
      if (name === 'stats' && looks === 1 && when === 'before') clearAndSync();
    };
    const watched: typeof call = (name, ...argument) => {
      calling(name);
      return call(name, ...argument);
    };
    Object.assign(at.index, { call: watched });
    await at.waitUntilComplete();
    expect(at.index.embedded(MODEL)).toHaveLength(3);
    expect(server.embedded).toHaveLength(6);
    expect(at.backfill.failure).toBeUndefined();
    expect(at.logged.map(({ level }) => level)).toEqual(['debug']);
  });

  it('stops paying for vectors that the index loses', async () => {
    await using at = await createBackfill(server, many(3));
    at.index.vectors.get = () => undefined;
    await at.waitUntilComplete();
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
    'embeds the other texts when one is rejected: %s',
    async (_how, [status, body]) => {
      const texts = many(100);
      await using at = await createBackfill(server, [...texts.slice(0, 50), bad, ...texts.slice(50)]);
      server.script = (reply, asked) => {
        if (asked.texts.includes(bad)) reply.send(status, body);
      };
      await at.waitUntilComplete();
      expect(each(at.index.embedded(MODEL))).toEqual(each(texts));
      // What may be bad luck is tried a few times more.
      for (let tries = 1; at.timers.length > 0 && tries < 5; tries++) {
        at.timers.pop()?.run();
        await at.waitUntilComplete();
      }
      expect(each(server.embedded.filter((text) => text !== 'hello'))).toEqual(each(texts));
      expect(at.backfill.failure).toBeUndefined();
      const warnings = at.logged.filter(({ message }) => message.includes('rejected it'));
      expect(warnings).toMatchObject([{ fields: { model: MODEL, hash: expect.any(String) } }]);
      expect(JSON.stringify(at.logged)).not.toContain('nobody takes');
      const asked = server.asked.length;
      await at.waitUntilComplete();
      expect(server.asked).toHaveLength(asked);
      // New settings are a new chance.
      server.script = noop;
      at.backfill.restart();
      await at.waitUntilComplete();
      expect(at.index.embedded(MODEL)).toContain(bad);
    },
  );

  it('does not search for a single rejected text when the provider rejects everything', async () => {
    await using at = await createBackfill(server, many(100));
    server.script = (reply) => reply.send(404, { error: { message: 'The model does not exist' } });
    await at.waitUntilComplete();
    expect(at.backfill.failure).toMatch(/The model does not exist/);
    // Each of the four that are asked at a time, and whether it is the texts.
    expect(server.asked.length).toBeLessThanOrEqual(8);
    expect(at.logged.map(({ message }) => message)).toEqual([expect.stringMatching(/retrying later/)]);
  });

  it('retries a text that was rejected by chance', async () => {
    const model = 'ollama/nomic-embed-text';
    await using at = await createBackfill(server, many(40), { provider: 'ollama' });
    const unlucky = (texts: string[]) => texts.some((text) => text.endsWith('7'));
    server.script = (reply, { texts }) => {
      if (unlucky(texts)) reply.send(500, { error: 'busy' });
    };
    for (const waitMs of [1000, 2000, 4000]) {
      await at.waitUntilComplete();
      expect(at.index.embedded(model)).toHaveLength(36);
      expect(at.backfill.failure).toMatch(/Ollama cannot answer now: busy/);
      expect(at.timers.map(({ ms }) => ms)).toEqual([waitMs]);
      at.timers.pop()?.run();
    }
    await at.waitUntilComplete();
    server.script = noop;
    at.timers.pop()?.run();
    await at.waitUntilComplete();
    expect(at.index.embedded(model)).toHaveLength(40);
    expect(at.backfill.failure).toBeUndefined();
    expect(at.logged.filter(({ message }) => message.includes('rejected it'))).toEqual([]);
  });
});

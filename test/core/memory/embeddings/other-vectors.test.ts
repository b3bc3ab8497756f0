import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddingServer, startEmbeddingServer } from '../../../helpers/embedding-server.ts';
import { MODEL, createBackfill, many, noop } from './backfill-fixture.ts';

let server: EmbeddingServer;
beforeEach(async () => {
  server = await startEmbeddingServer();
});
afterEach(() => server[Symbol.asyncDispose]());

describe('another model', () => {
  it('removes old vectors only after everything was embedded again', async () => {
    await using at = await createBackfill(server, many(5));
    await at.waitUntilComplete();
    await at.config.set('memory.embedding.model', 'text-embedding-3-large');
    server.script = (reply) => reply.send(401, { error: { message: 'no' } });
    at.backfill.restart();
    await at.waitUntilComplete();
    expect(at.index.embedded(MODEL)).toHaveLength(5);
    server.script = noop;
    at.backfill.restart();
    await at.waitUntilComplete();
    expect([...at.index.vectors.keys()]).toEqual(['openai/text-embedding-3-large']);
    expect(at.index.embedded('openai/text-embedding-3-large')).toHaveLength(5);
    expect(server.embedded).toHaveLength(10);
  });

  it('switches back at no cost while the new vectors are incomplete', async () => {
    await using at = await createBackfill(server, many(5));
    await at.waitUntilComplete();
    await at.config.set('memory.embedding.model', 'text-embedding-3-large');
    server.script = (reply) => reply.send(401, { error: { message: 'no' } });
    at.backfill.restart();
    await at.waitUntilComplete();
    server.script = noop;
    await at.config.set('memory.embedding.model', null);
    at.backfill.restart();
    await at.waitUntilComplete();
    expect(server.embedded).toHaveLength(5);
    expect(at.backfill.failure).toBeUndefined();
  });

  it('aborts the running pass when the model changes', async () => {
    await using at = await createBackfill(server, many(5));
    const reached = new Promise<void>((resolve) => {
      server.script = (reply, { body }) => {
        if (body['model'] !== 'text-embedding-3-small') return;
        reply.wait();
        resolve();
      };
    });
    at.backfill.wake();
    await reached;
    await at.config.set('memory.embedding.model', 'text-embedding-3-large');
    at.backfill.restart();
    await at.waitUntilComplete();
    expect([...at.index.vectors.keys()]).toEqual(['openai/text-embedding-3-large']);
  });

  it('stops at once and removes nothing when the provider is unset', async () => {
    await using at = await createBackfill(server, many(5));
    await at.waitUntilComplete();
    at.index.add('one more');
    const reached = new Promise<void>((resolve) => {
      server.script = (reply) => {
        reply.wait();
        resolve();
      };
    });
    at.backfill.wake();
    await reached;
    await at.config.set('memory.embedding.provider', null);
    at.backfill.restart();
    await at.waitUntilComplete();
    expect(at.index.embedded(MODEL)).toHaveLength(5);
    expect(at.timers).toEqual([]);
    expect(at.backfill.failure).toBeUndefined();
  });

  it('removes vectors of removed texts, but not during a sync', async () => {
    await using at = await createBackfill(server, many(3));
    at.index.isSyncing = true;
    await at.waitUntilComplete();
    const [gone] = at.index.texts.keys();
    if (gone !== undefined) at.index.texts.delete(gone);
    await at.waitUntilComplete();
    expect(at.index.vectors.get(MODEL)?.size).toBe(3);
    at.index.isSyncing = false;
    await at.waitUntilComplete();
    expect(at.index.vectors.get(MODEL)?.size).toBe(2);
  });
});

describe('vectors of another length', () => {
  it('recomputes all vectors after a query could not be compared', async () => {
    server.vectorOf = () => [1, 2, 3];
    await using at = await createBackfill(server, many(40));
    await at.waitUntilComplete();
    server.vectorOf = () => [1, 2];
    await at.waitUntilComplete();
    expect(server.embedded).toHaveLength(40);
    at.backfill.reportMismatch();
    await at.waitUntilComplete();
    const lengths = [...(at.index.vectors.get(MODEL)?.values() ?? [])].map(({ length }) => length);
    expect(lengths).toEqual(Array.from({ length: 40 }, () => 2));
  });

  it('recomputes all vectors when new ones have another length', async () => {
    server.vectorOf = () => [1, 2, 3];
    await using at = await createBackfill(server, many(40));
    await at.waitUntilComplete();
    server.vectorOf = () => [1, 2];
    at.index.add('one more');
    await at.waitUntilComplete();
    const lengths = [...(at.index.vectors.get(MODEL)?.values() ?? [])].map(({ length }) => length);
    expect(lengths).toEqual(Array.from({ length: 41 }, () => 2));
  });

  it('does not keep recomputing vectors that the index rejects', async () => {
    await using at = await createBackfill(server, many(40));
    at.index.refusesAll = true;
    await at.waitUntilComplete();
    expect(at.backfill.failure).toMatch(/dimensions/i);
    // Two batches and a look, twice at most.
    expect(server.asked.length).toBeLessThanOrEqual(6);
    expect(at.timers).toHaveLength(1);
  });

  it('removes nothing after a single wrong length', async () => {
    server.vectorOf = () => [1, 2, 3];
    await using at = await createBackfill(server, many(40));
    await at.waitUntilComplete();
    server.vectorOf = (text) => (text === 'one more' ? [1, 2] : [1, 2, 3]);
    at.index.add('one more');
    await at.waitUntilComplete();
    expect(at.index.embedded(MODEL)).toHaveLength(40);
    expect(at.backfill.failure).toMatch(/dimensions/i);
  });
});

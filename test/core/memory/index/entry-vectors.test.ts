import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { IndexClient } from '../../../../src/core/memory/index/index-client.ts';
import { silentLog } from '../../../../src/core/log.ts';

const entry = (key: string, title: string) => ({ key, ownerId: 'user_a', title, body: '', tags: [] });

it('finds entries by vector through the thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-vectors-'));
  const index = new IndexClient({
    options: { file: join(folder, 'memory.db'), protectedDirectories: [], cacheMiB: 2 },
    log: silentLog,
    onStart: () => undefined,
    onProgress: () => undefined,
    onChange: () => undefined,
  });
  const search = (text: string, ...values: number[]) =>
    index.call('searchEntries', {
      ownerId: 'user_a',
      text,
      vector: { model: 'm', values: Float32Array.from(values) },
      limit: 2,
    });
  try {
    await index.call('putEntries', [entry('a', 'apples'), entry('b', 'bicycles')]);
    const missing = await index.call('missingVectors', { model: 'm', limit: 9 });
    expect(missing.map(({ text }) => text.trim())).toEqual(['apples', 'bicycles']);
    const vectors = missing.map(({ hash }, n) => ({ hash, values: Float32Array.of(n, 1 - n) }));
    expect((await search('?', 1, 0)).method).toBe('keyword');
    await index.call('putVectors', { model: 'm', vectors });
    expect(await index.call('missingVectors', { model: 'm', limit: 9 })).toEqual([]);
    expect(await search('?', 3, 4)).toEqual({
      method: 'vector',
      found: [
        { key: 'a', score: expect.closeTo(0.8, 6) as number },
        { key: 'b', score: expect.closeTo(0.6, 6) as number },
      ],
    });
    expect(await search('bicycles', 1, 0)).toMatchObject({
      method: 'hybrid',
      found: [{ key: 'b', score: 1 }, {}],
    });
    // Equal texts share a vector across entries.
    await index.call('putEntries', [entry('c', 'apples')]);
    await index.call('removeEntries', ['a']);
    expect((await search('?', 0, 1)).found.map(({ key }) => key)).toEqual(['c', 'b']);
    await index.call('keepVectorsOf', 'm');
    expect(await index.call('missingVectors', { model: 'm', limit: 9 })).toEqual([]);
    await index.call('keepVectorsOf', 'n');
    expect((await search('?', 0, 1)).method).toBe('keyword');
    expect(await index.call('missingVectors', { model: 'm', limit: 9 })).toHaveLength(2);
  } finally {
    await index.close();
    rmSync(folder, { recursive: true });
  }
});

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import { VectorBackfill } from '../../../src/core/memory/embeddings/vector-backfill.ts';
import { IndexClient } from '../../../src/core/memory/index/index-client.ts';
import { MemoryRoots } from '../../../src/core/memory/memory-roots.ts';
import { MemoryService } from '../../../src/core/memory/memory-service.ts';
import { createEmbedder } from './embeddings/embedder-fixture.ts';

it('the memory service starts watching before a sync without waiting for it', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'svc-service-')));
  const happened: string[] = [];
  const first = Promise.withResolvers<void>();
  await using parts = await createEmbedder('http://127.0.0.1:9', undefined, {
    flags: { 'memory.embedding.provider': undefined },
  });
  const index = new IndexClient({
    options: { file: join(base, 'memory.db'), protectedDirectories: [], cacheMiB: 8 },
    log: silentLog,
    onStart: () => undefined,
    onProgress: ({ phase }) => happened.push(phase),
    onChange: () => undefined,
  });
  const roots = new MemoryRoots({
    config: parts.config,
    protectedDirectories: [],
    setRoots: async (_, value) => void (await parts.config.set('memory.roots', value)),
  });
  const memory = new MemoryService({
    index,
    roots,
    embedder: parts.embedder,
    backfill: new VectorBackfill({
      embedder: parts.embedder,
      index,
      isEmpty: () => true,
      isComplete: async () => undefined,
      log: silentLog,
    }),
    monotonic: () => performance.now(),
    canWatch: true,
    isWatchEnabled: () => true,
    applyWatchSettings: () => {
      happened.push(`watch ${roots.configured.length}`);
      if (!happened.includes('done')) return first.promise;
      first.reject(new Error('That one failed'));
      return Promise.resolve();
    },
    onProgress: () => undefined,
  });
  writeFileSync(join(base, 'a.md'), 'one');
  try {
    await memory.sync({ userId: 'usr_1', role: 'admin' }, base);
    expect(happened.slice(0, 2)).toEqual(['watch 1', 'looking']);
    expect(happened.slice(-2)).toEqual(['done', 'watch 1']);
  } finally {
    await index.close();
    rmSync(base, { recursive: true, force: true });
  }
});

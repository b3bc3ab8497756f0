import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDaemon } from '../helpers/daemon.ts';
import { isLong } from '../helpers/long.ts';
import { irCollection, ndcgAt10 } from '../helpers/ir-collection.ts';

const collection = irCollection('cacm');

describe.skipIf(!collection)('the recall of memory search', () => {
  it.runIf(isLong)(
    'memory search finds answers at least as well as plain BM25',
    async () => {
      await using daemon = await startDaemon({ flags: { 'memory.watch': false } });
      const folder = mkdtempSync(join(tmpdir(), 'svc-retrieval-'));
      const { docs = [], queries = [], relevant = new Map<string, Set<string>>() } = collection ?? {};
      for (const { id, title, text } of docs)
        writeFileSync(join(folder, `${id}.md`), `# ${title}\n\n${text}\n`);
      expect(await daemon.client.memory.sync({ body: { basePath: folder } })).toMatchObject({
        added: docs.length,
      });
      const found = new Map<string, string[]>();
      for (const { id, text } of queries) {
        const { method, chunks } = await daemon.client.memory.search({
          body: { query: text, maxResults: 100 },
        });
        expect(method).toBe('keyword');
        found.set(id, [...new Set(chunks.map(({ path }) => basename(path, '.md')))]);
      }
      // Anserini's BM25 comes to 0.46 here.
      expect(ndcgAt10(relevant, found)).toBeGreaterThan(0.5);
      rmSync(folder, { recursive: true });
    },
    120_000,
  );
});

import type { EmbeddingProvider } from '../../../../src/core/config/memory-settings.ts';
import { type Log, silentLog } from '../../../../src/core/log.ts';
import { VectorBackfill } from '../../../../src/core/memory/embeddings/vector-backfill.ts';
import type { EmbeddingServer } from '../../../helpers/embedding-server.ts';
import { createEmbedder } from './embedder-fixture.ts';
import { FakeIndex } from './fake-index.ts';

export const MODEL = 'openai/text-embedding-3-small';
export const never = new AbortController().signal;
export const noop = () => undefined;
export const many = (count: number) => Array.from({ length: count }, (_, at) => `text number ${at}`);

/** A backfill whose timers the test triggers. */
export async function createBackfill(
  server: EmbeddingServer,
  texts: readonly string[],
  { provider = 'openai', isEmpty = false }: { provider?: EmbeddingProvider; isEmpty?: boolean } = {},
) {
  const index = new FakeIndex(texts);
  const fixture = await createEmbedder(server.url, provider, {
    flags: { 'memory.embedding.provider': undefined },
    textsMs: 2000,
  });
  await fixture.config.set('memory.embedding.provider', provider);
  const timers: { run: () => void; ms: number }[] = [];
  const logged: { level: string; fields: object; message: string }[] = [];
  const note = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, fields, message });
  const log: Log = { ...silentLog, warn: note('warn'), error: note('error'), debug: note('debug') };
  const backfill = new VectorBackfill({
    embedder: fixture.embedder,
    index,
    isEmpty: () => isEmpty,
    isComplete: async () => undefined,
    log,
    setTimer: (run, ms) => {
      timers.push({ run, ms });
      return setTimeout(noop, 0);
    },
  });
  return {
    ...fixture,
    backfill,
    index,
    timers,
    logged,
    waitUntilComplete: () => backfill.waitUntilComplete(noop, never),
    async [Symbol.asyncDispose]() {
      await backfill.stop();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

export const each = (texts: readonly string[]) => [...texts].sort();

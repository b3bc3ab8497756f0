import type { EmbeddingProvider } from '../../../../src/core/config/memory-settings.ts';
import { type Log, silentLog } from '../../../../src/core/log.ts';
import { VectorFill } from '../../../../src/core/memory/embeddings/vector-backfill.ts';
import type { EmbeddingServer } from '../../../helpers/embedding-server.ts';
import { createEmbedder } from './embedder-fixture.ts';
import { StandInIndex } from './fake-index.ts';

export const MODEL = 'openai/text-embedding-3-small';
export const never = new AbortController().signal;
export const unheard = () => undefined;
export const many = (count: number) => Array.from({ length: count }, (_, at) => `text number ${at}`);

/** A fill whose timers run when the test says so. */
export async function createFill(
  server: EmbeddingServer,
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
    filled: () => fill.waitUntilComplete(unheard, never),
    async [Symbol.asyncDispose]() {
      await fill.stop();
      await parts[Symbol.asyncDispose]();
    },
  };
}

export const each = (texts: readonly string[]) => [...texts].sort();

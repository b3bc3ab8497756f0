import { embeddingProviders, type EmbeddingProvider } from '../../../../src/core/config/memory-settings.ts';
import type { Flags } from '../../../../src/core/config/config.ts';
import { Embedder, type EmbedderDeps } from '../../../../src/core/memory/embeddings/embedder.ts';
import { createProviders } from '../../providers/provider-parts.ts';

export const KEY = 'sk-very-secret-key-of-the-customer-0123456789';

/** Settings that point every provider to one server. */
export const settingsFor = (url: string): Flags =>
  Object.fromEntries(
    embeddingProviders.flatMap((type) => [
      [`providers.${type}.apiKey`, KEY],
      [`providers.${type}.baseUrl`, `${url}/${type}`],
    ]),
  );

/** A real embedder whose provider runs at the URL. */
export async function createEmbedder(
  url: string,
  provider: EmbeddingProvider | undefined = 'openai',
  { flags, ...limits }: { flags?: Flags } & Pick<EmbedderDeps, 'queryMs' | 'textsMs'> = {},
) {
  const fixture = await createProviders({
    flags: { ...settingsFor(url), 'memory.embedding.provider': provider, ...flags },
  });
  return {
    embedder: new Embedder({ ...fixture, usage: { record: () => undefined }, ...limits }),
    ...fixture,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

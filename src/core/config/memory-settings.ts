import { z } from 'zod';
import { modelProviderTypeSchema } from '../../contract/providers.ts';
import { define } from './define-setting.ts';

/** The providers that have models for embeddings. */
export const embeddingProviders = [
  'openai',
  'google',
  'mistral',
  'cohere',
  'azure',
  'together',
  'fireworks',
  'ollama',
  'openrouter',
] as const;
const embeddingProviderSchema = modelProviderTypeSchema.extract(embeddingProviders, {
  error: `Expected a provider that has models for embeddings: ${embeddingProviders.join(', ')}`,
});
export type EmbeddingProvider = z.output<typeof embeddingProviderSchema>;

const count = (min: number, max: number) => z.int().min(min).max(max);
const flag = z.stringbool().or(z.boolean());

export const memorySettings = {
  'memory.roots': define({
    schema: z.array(z.string().startsWith('/', 'Expected an absolute path').max(4096)).max(100),
    default: [],
    live: true,
    description: 'Folders that may be indexed; everybody who may sign in finds what is in them',
  }),
  'memory.maxFileKiB': define({
    schema: count(1, 65_536),
    default: 1024,
    live: true,
    description: 'Larger files are not indexed',
  }),
  'memory.maxFiles': define({
    schema: count(1, 10_000_000),
    default: 200_000,
    live: true,
    description: 'How many files are indexed at most',
  }),
  'memory.watch': define({
    schema: flag,
    default: true,
    live: true,
    description: 'Whether indexed folders are watched for changes; never in the mode pico',
  }),
  'memory.watchFiles': define({
    schema: count(1, 1_000_000),
    default: 100_000,
    live: true,
    description:
      'With more files than this folders are not watched, and searches look for changes themselves',
  }),
  'memory.embedding.provider': define({
    schema: embeddingProviderSchema.optional(),
    default: undefined,
    live: true,
    description:
      'The provider that is sent what is indexed, to find it by its meaning; without one nothing is',
  }),
  'memory.embedding.model': define({
    schema: z.string().min(1).max(200).optional(),
    default: undefined,
    live: true,
    description: 'Its model for embeddings; a usual one of the provider unless set',
  }),
  'memory.recall': define({
    schema: flag,
    default: true,
    live: true,
    description: 'Whether chats and agents are told what fits of the memory',
  }),
  'memory.learn': define({
    schema: flag,
    default: true,
    live: true,
    description: 'Whether experiences are recorded from the tasks of their owners',
  }),
  'memory.halfLifeDays': define({
    schema: z.number().min(0.01).max(36_500),
    default: 30,
    live: true,
    description: 'Days after which an experience that nobody used weighs half',
  }),
};

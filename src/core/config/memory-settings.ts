import { z } from 'zod';
import { memoryScopeSchema } from '../../contract/memory.ts';
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
    schema: () => z.array(z.string().startsWith('/', 'Expected an absolute path').max(4096)).max(100),
    default: [],
    live: true,
    scope: 'daemon',
    description: 'Folders that may be indexed; every user can search them',
  }),
  'memory.scope': define({
    schema: () => memoryScopeSchema,
    default: 'project',
    live: true,
    description: 'Whether runs use the memory of their project only (project), or all of it (all)',
  }),
  'memory.maxFileKiB': define({
    schema: () => count(1, 65_536),
    default: 1024,
    live: true,
    description: 'Maximum size of an indexed file, in KiB',
  }),
  'memory.maxFiles': define({
    schema: () => count(1, 10_000_000),
    default: 200_000,
    live: true,
    description: 'Maximum number of indexed files',
  }),
  'memory.watch': define({
    schema: () => flag,
    default: true,
    live: true,
    scope: 'daemon',
    description: 'Watch indexed folders for changes; never in mode pico',
  }),
  'memory.watchFiles': define({
    schema: () => count(1, 1_000_000),
    default: 100_000,
    live: true,
    scope: 'daemon',
    description: 'Maximum number of files to watch; with more, each search checks for changes',
  }),
  'memory.embedding.provider': define({
    schema: () => embeddingProviderSchema.optional(),
    default: undefined,
    live: true,
    description: 'The model provider that computes embeddings of indexed text; unset sends nothing',
  }),
  'memory.embedding.model': define({
    schema: () => z.string().min(1).max(200).optional(),
    default: undefined,
    live: true,
    description: "The embedding model; the provider's usual one unless set",
  }),
  'memory.recall': define({
    schema: () => flag,
    default: true,
    live: true,
    description: 'Add matching memory to chats and tasks',
  }),
  'memory.learn': define({
    schema: () => flag,
    default: true,
    live: true,
    description: 'Record experiences from finished tasks',
  }),
  'memory.halfLifeDays': define({
    schema: () => z.number().min(0.01).max(36_500),
    default: 30,
    live: true,
    description: 'Days after which an unused experience counts half',
  }),
};
